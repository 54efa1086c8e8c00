// Gamma, and two colour maps whose steps look even: paths through the OKLab space (B. Ottosson,
// "A perceptual color space for image processing", 2020), where equal distances look equal.
#include "internal.h"

#include <math.h>

static float to_linear(float srgb) {
  return srgb <= 0.04045f ? srgb / 12.92f : powf((srgb + 0.055f) / 1.055f, 2.4f);
}

static float from_linear(float light) {
  return light <= 0.0031308f ? light * 12.92f : 1.055f * powf(light, 1.0f / 2.4f) - 0.055f;
}

void rd_gamma_init(rd_gamma *gamma) {
  for (int i = 0; i < 256; i++) gamma->light[i] = to_linear((float)i / 255.0f);
  for (int i = 0; i <= 4096; i++) {
    gamma->byte[i] = (unsigned char)(from_linear((float)i / 4096.0f) * 255.0f + 0.5f);
  }
}

void render_linear_colour(uint32_t colour, float linear[3]) {
  for (int c = 0; c < 3; c++) {
    linear[c] = to_linear((float)(colour >> (16 - 8 * c) & 255u) / 255.0f);
  }
}

static uint32_t pack_colour(const float linear[3]) {
  uint32_t colour = 0;
  for (int c = 0; c < 3; c++) {
    float byte = from_linear(rd_clamp(linear[c], 0.0f, 1.0f)) * 255.0f + 0.5f;
    colour = colour << 8 | (uint32_t)byte;
  }
  return colour;
}

// OKLab to linear RGB: lightness, chroma, hue in degrees.
static void from_oklch(float lightness, float chroma, float hue, float linear[3]) {
  float a = chroma * cosf(hue * RD_PI / 180.0f), b = chroma * sinf(hue * RD_PI / 180.0f);
  float l = lightness + 0.3963377774f * a + 0.2158037573f * b;
  float m = lightness - 0.1055613458f * a - 0.0638541728f * b;
  float s = lightness - 0.0894841775f * a - 1.2914855480f * b;
  l = l * l * l, m = m * m * m, s = s * s * s;
  linear[0] = 4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s;
  linear[1] = -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s;
  linear[2] = -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s;
}

// The most colourful colour of this lightness and hue that a screen can show, up to `chroma`.
static uint32_t shown_colour(float lightness, float chroma, float hue) {
  float linear[3], shown = 0.0f, step = chroma;
  for (int i = 0; i < 12; i++) {
    from_oklch(lightness, shown + step, hue, linear);
    bool fits = true;
    for (int c = 0; c < 3; c++) fits = fits && linear[c] >= 0.0f && linear[c] <= 1.0f;
    if (fits) shown += step;
    if (shown >= chroma) break;
    step *= 0.5f;
  }
  from_oklch(lightness, shown, hue, linear);
  return pack_colour(linear);
}

uint32_t render_map_colour(render_map map, float t) {
  t = t >= 0.0f ? rd_clamp(t, 0.0f, 1.0f) : 0.0f;
  if (map == RENDER_MAP_SIGNED) {
    float from_middle = fabsf(2.0f * t - 1.0f);
    float hue = t < 0.5f ? 255.0f : 28.0f;
    return shown_colour(0.955f - 0.475f * from_middle, 0.21f * from_middle, hue);
  }
  // Violet at 285 degrees through magenta and red to yellow at 105 (= 465).
  return shown_colour(0.28f + 0.66f * t, 0.13f + 0.09f * sinf(RD_PI * t), 285.0f + 180.0f * t);
}
