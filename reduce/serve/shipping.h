/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A shipper from inside: ship.c has its thread, ship_period.c what is to be
 * shipped, ship_target.c where to and what a request has in it, ship_post.c
 * requests.
 */

#ifndef MPROF_SHIPPING_H
#define MPROF_SHIPPING_H

#include "base/pool.h"
#include "base/sink.h"
#include "serve/ship.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>

/* ---- ship_target.c: where to, in which protocol, with which labels ----
 *
 *  - pyroscope: POST .../ingest, the profile, with a name in the query that
 *    has the labels (grafana/pyroscope, pkg/ingester/pyroscope/
 *    ingest_handler.go, api/model/labelset).  What is in use are values, as
 *    godeltaprof has them.
 *  - parca: POST .../profiles/writeraw, JSON of WriteRawRequest with profiles
 *    in base 64 (parca-dev/parca, proto/parca/profilestore).  With a duration
 *    all sample types are sums over it, "delta", so what is in use is another
 *    profile without one (pkg/profilestore).
 *  - otel: POST .../v1/pprof, the profile (open-telemetry/
 *    opentelemetry-collector-contrib, receiver/pprofreceiver).  There are no
 *    labels but comments, which become attributes (pkg/translator/pprof).
 */
enum ship_protocol { SHIP_PYROSCOPE, SHIP_PARCA, SHIP_OTEL };

struct ship_target {
  enum ship_protocol protocol;
  char *url;    /* owned, as all of these, by libcurl; with the path */
  char *shown;  /* the same without a password */
  char *labels; /* owned: NAME=VALUE, one a line, service_name first */
};

/* False: MESSAGE says why.  Release it even then. */
bool ship_target_init(struct ship_target *target,
                      const struct ship_options *options, const char *program,
                      char *message);
void ship_target_release(struct ship_target *target);

/* What is sent at once: one profile, or two for Parca. */
struct ship_part {
  uint64_t samples;
  int64_t from, until; /* nanoseconds since 1970 */
  void *profiles[2];   /* owned, results of mprof.h; NULL: there is none */
};

/* The URL of a request, to be freed by curl_free; NULL when memory runs out.
 */
char *ship_target_url(const struct ship_target *target,
                      const struct ship_part *part);

/* Writes the body of a request to Parca, in an attempt (base/pool.h). */
void ship_target_write_raw(const struct ship_target *target,
                           const struct ship_part *part, struct sink *sink);

/* ---- ship_period.c: what is to be shipped ---- */

struct ship_period {
  int64_t from, until; /* nanoseconds since 1970 */
  void *heap;          /* a difference, by mprof.h; NULL: there is none */
  uint64_t sent;       /* how many of its samples need not be sent any more */
  bool begun; /* of some it is not known, or known that they are there */
  unsigned refusals; /* of the part that comes next */
};

/* A period that has begun to be sent, or not, and what has come since. */
struct ship_periods {
  struct ship_period first, next;
  struct snapshot last; /* in one of them, and where the next one begins */
};

/* Adds what has been until NOW, which is theirs from now on: to the next
 * period, if there is one, or the first has begun; else to the first.  One
 * without a snapshot to begin with has begun at FROM.  When memory runs out
 * nothing is added. */
void ship_periods_add(struct ship_periods *periods, struct snapshot *now,
                      int64_t from);

void ship_periods_remove_first(struct ship_periods *periods);
void ship_periods_release(struct ship_periods *periods);

/* How many samples are left. */
uint64_t ship_period_left(const struct ship_period *period);

/* Makes the next part of PERIOD, of at most MOST samples and what the other
 * side takes.  False: MESSAGE says why.  Release it even then. */
bool ship_part_init(struct ship_part *part, const struct ship_period *period,
                    const struct ship_target *target, uint64_t most,
                    char *message);
void ship_part_release(struct ship_part *part);

/* ---- the shipper ---- */

enum { SHIP_ANSWER_LENGTH = 300 }; /* what of an answer is shown */

struct shipper {
  const struct program *program;
  struct ship_target target;
  int64_t every, deadline; /* milliseconds */
  int64_t opened;          /* nanoseconds since 1970 */
  int wake;                /* an eventfd */
  _Atomic int64_t end;     /* by ship_now: it ends until then; 0: not yet */

  pthread_mutex_t one; /* who ships or takes a snapshot has it, but not while
                          the other side is waited for */
  struct ship_periods periods;
  uint64_t most; /* samples that the other side takes at once */
  bool silent;   /* the program: no snapshot */
  bool ended;    /* all has been done */
  int64_t wait;  /* milliseconds; 0: the last request arrived */
  int64_t after; /* how long the other side wants to be left alone */
  unsigned seed;
  uint64_t counts[SHIP_COUNTS];
  char message[PROGRAM_MESSAGE_LENGTH]; /* why the last one failed */
  char summary[PROGRAM_MESSAGE_LENGTH];

  /* ship_post.c */
  CURL *curl;
  struct curl_slist *headers;          /* owned */
  char answer[SHIP_ANSWER_LENGTH + 1]; /* the begin of the last one */
  size_t read; /* of it; more than MOST_OF_ANSWER: it was stopped */
  char error[CURL_ERROR_SIZE];
};

/* CLOCK_MONOTONIC in milliseconds. */
int64_t ship_now(void);

/* Whether the end is not yet there. */
bool ship_goes_on(const struct shipper *shipper);

/* ---- ship_post.c: a connection that takes POST requests, by libcurl ----
 *
 * TLS is checked as libcurl does it, with the certificates that the variable
 * CURL_CA_BUNDLE names, if it is set, as for the command curl.  A token in
 * the variable MPROF_SHIP_TOKEN goes as `Authorization: Bearer'; else
 * ~/.netrc may have a password, or the URL.  MPROF_SHIP_HEADERS has more
 * headers, one a line.  None of these is in a message.
 */

/* False when memory runs out.  Disconnect even then. */
bool ship_connect(struct shipper *shipper);
void ship_disconnect(struct shipper *shipper);

/* In the place of the status of an answer. */
enum {
  SHIP_UNKNOWN = -1, /* it was sent, and no answer came */
  SHIP_AWAY = 0      /* it was not sent */
};

static inline bool
ship_is_taken(long status)
{
  return status >= 200 && status < 300;
}

/* Sends PART, and waits for the answer at most until DEADLINE, by ship_now,
 * and while ship_goes_on says so.  Gives back its status.  Unless the part
 * was taken the shipper's message says why, and `after' is what the other
 * side asks for, or 0. */
long ship_post(struct shipper *shipper, const struct ship_part *part,
               int64_t deadline);

#endif
