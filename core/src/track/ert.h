// The 68 points by an ensemble of regression trees: dlib's shape_predictor files, read and
// evaluated by our own code. dlib rounds its points to whole pixels and looks at the nearest pixel;
// here both are as fine as the picture allows.
#ifndef MI_ERT_H
#define MI_ERT_H

#include "base/base.h"

typedef struct mi_ert mi_ert;

// The bytes are not kept; every count and offset in them is checked.
mien_result mi_ert_read(const void *bytes, size_t size, const mien_host *host, mi_ert **out,
                        mien_error *err);
void mi_ert_free(mi_ert *ert);

// The points of the face in an upright box of the kind the file was trained on; xy has 68 pairs.
void mi_ert_evaluate(const mi_ert *ert, const mien_image *image, const mien_box *box, float *xy);

#endif
