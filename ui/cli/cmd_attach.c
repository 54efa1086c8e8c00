// mien attach: flesh under a rig's skin, and what was decided, in words.
#include "cli.h"
#include "physics.h"

#include <inttypes.h>
#include <string.h>

static const cli_option options[] = {
    {"out", 'o', "FACE.glb", "where to write the face (default: only report)"},
    CLI_RIG_OPTIONS,
    {NULL, 0, NULL, NULL},
};

static void print_words(const mien_face_info *face) {
  const mien_rig_info *rig = mien_rig_get_info(face->rig);
  printf("%s: %d skin vertices of %d, %d shapes\n", rig->name, face->nskin, rig->nvert,
         rig->nshape);
  printf("flesh      %d vertices, %d tetrahedra, %d inverted; %.0f g, %.0f cm3\n", face->nvert,
         face->ntet, face->ninverted, 1e3 * face->mass, 1e6 * face->volume);
  printf("thickness  %.2f to %.2f mm, %.2f on average; thinned at %d vertices, %d triangles "
         "without flesh\n",
         1e3 * face->thickness_min, 1e3 * face->thickness_max, 1e3 * face->thickness_mean,
         face->nthinned, face->nleft_out);
  printf(
      "quality    worst %.2f of a straight prism (mean %.2f); mean ratio worst %.3f, mean %.2f\n",
      face->quality_min, face->quality_mean, face->shape_min, face->shape_mean);
  if (face->has_mouth)
    printf("mouth      found: slit of %d vertices, lips %d upper and %d lower, %d of them inner, "
           "mouth bag %d\n",
           face->nslit, face->nlip_upper, face->nlip_lower, face->nlip_inner, face->nmouth_bag);
  else
    printf("mouth      not found\n");
  printf("regions    eyelids %d, contact %d, passive %d; held by bone %d of %d\n", face->neyelid,
         face->ncontact, face->npassive, face->nattached, face->nvert);
  if (face->nfollowing)
    printf("following  %d skin vertices follow the %d that are simulated\n", face->nfollowing,
           face->nskin);
  printf("shapes     %d of %d would invert %d tetrahedra; the inside was moved so that none does\n",
         face->nmended, rig->nshape, face->nmended_tets);
  if (face->seconds_fit > 0)
    printf(
        "stiffness  from the shapes: forces out of balance %.0f -> %.0f %%, %d of %d weights are "
        "0; %.1f s\n",
        100 * face->fit_residual_before, 100 * face->fit_residual, face->nfit_zero, 3 * face->nskin,
        face->seconds_fit);
  printf("built in   %.0f ms: regions %.0f, inner surface %.0f, tetrahedra %.0f, shapes %.0f\n",
         1e3 * (face->seconds_regions + face->seconds_hypodermis + face->seconds_tets),
         1e3 * face->seconds_regions, 1e3 * face->seconds_hypodermis,
         1e3 * (face->seconds_tets - face->seconds_shapes), 1e3 * face->seconds_shapes);
}

static void print_json(const mien_face_info *face) {
  json_t *remarks = json_array();
  for (int i = 0; i < face->nremark; i++)
    json_array_append_new(remarks, json_string(face->remarks[i]));
  char hash[20];
  snprintf(hash, sizeof hash, "%016" PRIx64, face->hash);
  cli_print_json(json_pack(
      "{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:f, "
      "s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:i, s:s, s:o}",
      "skin_vertices", face->nskin, "vertices", face->nvert, "tetrahedra", face->ntet, "inverted",
      face->ninverted, "attached", face->nattached, "thinned", face->nthinned, "left_out",
      face->nleft_out, "mouth_found", face->has_mouth, "slit", face->nslit, "lip_upper",
      face->nlip_upper, "lip_lower", face->nlip_lower, "lip_inner", face->nlip_inner, "mouth_bag",
      face->nmouth_bag, "eyelid", face->neyelid, "contact", face->ncontact, "passive",
      face->npassive, "remark_count", face->nremark, "thickness_min", face->thickness_min,
      "thickness_mean", face->thickness_mean, "thickness_max", face->thickness_max, "quality_min",
      face->quality_min, "mean_ratio_min", face->shape_min, "mass", face->mass, "volume",
      face->volume, "seconds",
      face->seconds_regions + face->seconds_hypodermis + face->seconds_tets, "shapes_mended",
      face->nmended, "tetrahedra_mended", face->nmended_tets, "hash", hash, "remarks", remarks));
}

static int run(const cli_args *args) {
  mien_settings settings;
  mien_host host;
  mien_error err;
  if (!physics_settings(args, MIEN_CONTACT_PLANE, &settings)) return CLI_USAGE;
  if (settings.face.flesh == MIEN_FLESH_VOLUME && !settings.face.tetrahedralise)
    return cli_fail("this mien was built without TetGen (MIEN_TETGEN=ON, package libtet1.5-dev)");
  const char *out = cli_value(args, "out", NULL);
  int code = cli_check_output(args, out);
  if (code) return code;
  mien_rig *rig = cli_load_rig(args, args->nargument ? args->argument[0] : NULL);
  if (!rig) return CLI_FAILED;
  cli_host(args, &host);
  mien_face *face = NULL;
  if (mien_face_create(rig, &settings.face, &host, &face, &err) < 0) {
    code = cli_report(&err, "attach");
  } else {
    const mien_face_info *info = mien_face_get_info(face);
    if (args->json)
      print_json(info);
    else
      print_words(info);
    cli_remarks(info->remarks, info->nremark);
    if (out && mien_rig_save(rig, face, NULL, out, &err) < 0)
      code = cli_report(&err, out);
    else if (out && !args->json)
      printf("wrote      %s\n", cli_shown(out));
  }
  mien_face_free(face);
  mien_rig_free(rig);
  return code;
}

const cli_command cli_attach = {
    "attach",
    "[RIG]",
    "put flesh under a rig's skin and say what was decided",
    "RIG is a .glb or a folder of OBJ files. The face is the same rig with its regions, "
    "thickness,\n"
    "attachment, jaw weights and inner surface stored as vertex attributes (_MIEN_REGION,\n"
    "_MIEN_THICKNESS, _MIEN_ATTACHMENT, _MIEN_JAW, _MIEN_HYPODERMIS), which a host can show and\n"
    "repaint: what is painted wins over what is found.",
    options,
    1,
    run,
    1 << MIEN_PARAM_FACE,
    NULL};
