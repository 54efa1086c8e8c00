+ MAYAVERSION:2022 mien 0.1.0 ./mien
plug-ins: plug-ins/2022

+ MAYAVERSION:2023 mien 0.1.0 ./mien
plug-ins: plug-ins/2023

+ MAYAVERSION:2024 mien 0.1.0 ./mien
plug-ins: plug-ins/2024

+ MAYAVERSION:2025 mien 0.1.0 ./mien
plug-ins: plug-ins/2025

+ MAYAVERSION:2026 mien 0.1.0 ./mien
plug-ins: plug-ins/2026
