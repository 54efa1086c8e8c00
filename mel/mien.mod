+ MAYAVERSION:2022 mien 0.1.0 ./mien
plug-ins: plug-ins/2022
PATH+:=lib

+ MAYAVERSION:2023 mien 0.1.0 ./mien
plug-ins: plug-ins/2023
PATH+:=lib

+ MAYAVERSION:2024 mien 0.1.0 ./mien
plug-ins: plug-ins/2024
PATH+:=lib

+ MAYAVERSION:2025 mien 0.1.0 ./mien
plug-ins: plug-ins/2025
PATH+:=lib

+ MAYAVERSION:2026 mien 0.1.0 ./mien
plug-ins: plug-ins/2026
PATH+:=lib
