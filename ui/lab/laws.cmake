# Textbook laws that are not simulated, for claim Z1 and the tests of the laws.
add_library(lab_laws STATIC
  ui/lab/lab_laws.c ui/lab/law_bending.c ui/lab/law_edge.c ui/lab/law_example.c
  ui/lab/law_example_fit.c ui/lab/law_length.c ui/lab/law_limit.c ui/lab/law_plane.c
  ui/lab/law_strain_limit.c ui/lab/law_stvk.c ui/lab/law_triangle_area.c ui/lab/law_triangle_strain.c)
target_include_directories(lab_laws PUBLIC ui/lab)
target_link_libraries(lab_laws PUBLIC mien_objects)
