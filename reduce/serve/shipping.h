/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files of the shipper share: ship.c has the thread, ship_period.c
 * what is to be sent, ship_target.c the server and the contents of requests,
 * ship_post.c the requests.
 */

#ifndef MPROF_SHIPPING_H
#define MPROF_SHIPPING_H

#include "base/pool.h"
#include "base/sink.h"
#include "serve/ship.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>

/* ---- ship_target.c: the server, its protocol, and the labels ----
 *
 *  - pyroscope: POST .../ingest, the profile.  A name in the query has the
 *    labels (grafana/pyroscope, pkg/ingester/pyroscope/ingest_handler.go,
 *    api/model/labelset).  Memory in use is in the same profile, as that of
 *    godeltaprof is.
 *  - parca: POST .../profiles/writeraw, WriteRawRequest as JSON, with
 * profiles in base 64 (parca-dev/parca, proto/parca/profilestore).  All
 * sample types of a profile with a duration are sums over it, "delta", so
 * memory in use is a second profile, which has none (pkg/profilestore).
 *  - otel: POST .../v1/pprof, the profile (open-telemetry/
 *    opentelemetry-collector-contrib, receiver/pprofreceiver).  In place of
 *    labels it has comments, which become attributes (pkg/translator/pprof).
 */
enum ship_protocol { SHIP_PYROSCOPE, SHIP_PARCA, SHIP_OTEL };

struct ship_target {
  enum ship_protocol protocol;
  char *url;    /* with the path; owned, to be freed by curl_free */
  char *shown;  /* the same without a password; owned likewise */
  char *labels; /* owned: lines NAME=VALUE, service_name first */
};

/* On failure returns false, and MESSAGE says why.  Release TARGET even then.
 */
bool ship_target_init(struct ship_target *target,
                      const struct ship_options *options, const char *program,
                      char *message);
void ship_target_release(struct ship_target *target);

/* What one request sends: one profile, or two for Parca. */
struct ship_part {
  uint64_t samples;
  int64_t from, until; /* nanoseconds since 1970 */
  void *profiles[2];   /* owned, results of mprof.h; NULL: there is none */
};

/* Returns the URL of a request, to be freed by curl_free; NULL when memory
 * runs out. */
char *ship_target_url(const struct ship_target *target,
                      const struct ship_part *part);

/* Writes the body of a request to Parca, in an attempt (base/pool.h). */
void ship_target_write_raw(const struct ship_target *target,
                           const struct ship_part *part, struct sink *sink);

/* ---- ship_period.c: what is to be sent ---- */

struct ship_period {
  int64_t from, until; /* nanoseconds since 1970 */
  void *heap;          /* a difference, by mprof.h; NULL: there is none */
  uint64_t sent;     /* how many of its samples have arrived or are dropped */
  bool begun;        /* some of its samples have arrived, or may have */
  unsigned refusals; /* of its next part */
};

/* The period that is sent first, and the one after it. */
struct ship_periods {
  struct ship_period first, next;
  struct snapshot last; /* the end of the last period */
};

/* Adds what was allocated until NOW, and takes ownership of NOW.  It extends
 * the next period if there is one or the first has begun, else the first.  A
 * period with no snapshot at its beginning begins at FROM.  Adds nothing when
 * memory runs out. */
void ship_periods_add(struct ship_periods *periods, struct snapshot *now,
                      int64_t from);

void ship_periods_remove_first(struct ship_periods *periods);
void ship_periods_release(struct ship_periods *periods);

/* Returns how many samples are still to be sent. */
uint64_t ship_period_left(const struct ship_period *period);

/* Makes the next part of PERIOD, of at most MOST samples, and no larger than
 * the server takes.  On failure returns false, and MESSAGE says why.  Release
 * PART even then. */
bool ship_part_init(struct ship_part *part, const struct ship_period *period,
                    const struct ship_target *target, uint64_t most,
                    char *message);
void ship_part_release(struct ship_part *part);

/* ---- the shipper ---- */

enum { SHIP_ANSWER_LENGTH = 300 }; /* bytes of an answer that are shown */

struct shipper {
  const struct program *program;
  struct ship_target target;
  int64_t every, deadline; /* milliseconds */
  int64_t opened;          /* nanoseconds since 1970 */
  int wake;                /* an eventfd */
  _Atomic int64_t end;     /* the time of ship_now by which it must end;
                              0: it goes on */

  pthread_mutex_t one; /* held while a thread ships or takes a snapshot, but
                          not while it waits for the server */
  struct ship_periods periods;
  uint64_t most; /* samples that the server takes at once */
  bool silent;   /* the program has given no snapshot */
  bool ended;    /* everything was sent or dropped */
  int64_t wait;  /* milliseconds; 0: the last request succeeded */
  int64_t after; /* how long the server asks to wait, in milliseconds */
  unsigned seed;
  uint64_t counts[SHIP_COUNTS];
  char message[PROGRAM_MESSAGE_LENGTH]; /* why the last request failed */
  char summary[PROGRAM_MESSAGE_LENGTH];

  /* ship_post.c */
  CURL *curl;
  struct curl_slist *headers;          /* owned */
  char answer[SHIP_ANSWER_LENGTH + 1]; /* the beginning of the last one */
  size_t read; /* bytes of it; more than MOST_OF_ANSWER: it was cut off */
  char error[CURL_ERROR_SIZE];
};

/* Returns the time of CLOCK_MONOTONIC in milliseconds. */
int64_t ship_now(void);

/* Whether the shipper need not end yet. */
bool ship_goes_on(const struct shipper *shipper);

/* ---- ship_post.c: POST requests, by libcurl ----
 *
 * libcurl checks TLS, with the certificates of the variable CURL_CA_BUNDLE if
 * it is set, as the command curl does.  A token in the variable
 * MPROF_SHIP_TOKEN is sent as `Authorization: Bearer'.  Without one, ~/.netrc
 * or the URL may have a password.  MPROF_SHIP_HEADERS has more headers, one a
 * line. Messages contain none of these.
 */

/* Returns false when memory runs out.  Disconnect even then. */
bool ship_connect(struct shipper *shipper);
void ship_disconnect(struct shipper *shipper);

/* What stands for the status of an answer if there is none. */
enum {
  SHIP_UNKNOWN = -1, /* the request was sent, and no answer came */
  SHIP_AWAY = 0      /* the request was not sent */
};

static inline bool
ship_is_taken(long status)
{
  return status >= 200 && status < 300;
}

/* Sends PART, and waits for the answer until DEADLINE, a time of ship_now, or
 * until the shipper must end.  Returns the status of the answer.  If the
 * server did not take the part, the shipper's `message' says why, and `after'
 * is set.
 */
long ship_post(struct shipper *shipper, const struct ship_part *part,
               int64_t deadline);

#endif
