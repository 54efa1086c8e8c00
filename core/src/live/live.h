// A performer as phones and trackers tell it over the network: bytes in, weights by name and a head
// out, and the way back. Nothing here touches a socket except socket_posix.c.
#ifndef MI_LIVE_H
#define MI_LIVE_H

#include "base/base.h"

enum {
  MI_ARKIT_SHAPES = 52,
  MI_LIVE_LINK_VALUES = 61, // the shapes, then nine angles
  MI_LIVE_CHANNELS = 192,   // ARKit's first, then whatever else a sender names
  MI_LIVE_NAME = 64,        // bytes of a name with its end
  MI_PACKET_BYTES = 65536
};

// arkit.c: the 52 shapes in the order of the wire, as ARKit spells them ("eyeBlinkLeft")
const char *mi_arkit_name(int shape);
int mi_arkit_find(const char *name); // any common spelling; -1 = none

// -- Reading --------------------------------------------------------------------------------------

typedef struct mi_live_frame {
  float weight[MI_LIVE_CHANNELS]; // 0-1
  mien_rigid head;
  bool has_head;
  double time; // s, the sender's clock
  bool has_time;
} mi_live_frame;

// State of a sender. A packet that is incomplete or invalid changes nothing.
typedef struct mi_reading {
  mi_live_frame frame;   // the last whole one
  mi_live_frame pending; // of a protocol that sends a frame in pieces
  int nchannel;
  char name[MI_LIVE_CHANNELS][MI_LIVE_NAME];
} mi_reading;

typedef enum mi_packet {
  MI_PACKET_FRAME,   // a whole frame is in reading->frame
  MI_PACKET_PART,    // understood, the frame is not whole yet
  MI_PACKET_NO_FACE, // the sender reports that it sees no face
  MI_PACKET_LATE,    // older than the current frame
  MI_PACKET_BAD      // damaged, hostile or another protocol's
} mi_packet;

void mi_reading_init(mi_reading *reading);
// The channel of that name, made when it is new and there is room; -1 = none.
int mi_reading_channel(mi_reading *reading, const char *name);

mi_packet mi_live_link_read(mi_reading *reading, const uint8_t *bytes, size_t size);
mi_packet mi_facial_mocap_read(mi_reading *reading, const uint8_t *bytes, size_t size);
mi_packet mi_vmc_read(mi_reading *reading, const uint8_t *bytes, size_t size);
mi_packet mi_packet_read(mi_reading *reading, mien_protocol protocol, const uint8_t *bytes,
                         size_t size);

// -- Writing --------------------------------------------------------------------------------------

typedef struct mi_live_message {
  const char *const *names; //                                                           (nweight)
  const float *weights;     //                                                           (nweight)
  int nweight;
  const mien_rigid *head; // or NULL
  double time;            // s
} mi_live_message;

// Each fills `out` with one packet and returns its size. `next` is where to go on: 0 at first,
// below 0 when everything is written; a protocol whose frame is larger than a packet needs several
// calls.
size_t mi_live_link_write(const mi_live_message *message, uint8_t *out, int *next);
size_t mi_facial_mocap_write(const mi_live_message *message, uint8_t *out, int *next);
size_t mi_vmc_write(const mi_live_message *message, uint8_t *out, int *next);

// The request that a phone with iFacialMocap waits for before it sends.
const char *mi_facial_mocap_hello(void);

// R = Ry(yaw) Rx(pitch) Rz(roll), radians, and back
void mi_rotation_from_angles(double yaw, double pitch, double roll, double rotation[4]);
void mi_angles_from_rotation(const double rotation[4], double *yaw, double *pitch, double *roll);

// -- Sockets (socket_posix.c) ---------------------------------------------------------------------

typedef struct mi_peer {
  uint32_t address;
  uint16_t port;
} mi_peer;

// A number like 192.168.0.12 or "localhost"; false when it is neither.
bool mi_peer_parse(const char *address, int port, mi_peer *peer);
// A UDP socket that never waits, bound to `at` (port 0 = any free one); -1 with `why` filled.
int mi_socket_open(const mi_peer *at, const char **why);
// From now on the system keeps packets of other senders from the socket, where it can: a flood of
// them would take the place of those that are waited for. Port 0 = any of that address, NULL =
// all are heard again. Who asks still looks at the sender.
void mi_socket_hear_only(int socket, const mi_peer *peer);
uint32_t mi_socket_ndropped(int socket); // packets that the system kept from it; 0 = not told
int mi_socket_port(int socket);
bool mi_socket_wait(int socket, double seconds); // true when there is something to read
// One packet, which may be empty; false when there is none.
bool mi_socket_receive(int socket, uint8_t bytes[MI_PACKET_BYTES], size_t *size, mi_peer *from);
bool mi_socket_send(int socket, const mi_peer *to, const void *bytes, size_t size);
void mi_socket_close(int socket);

#endif
