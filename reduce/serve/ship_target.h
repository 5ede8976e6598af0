/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where profiles are shipped to, in which protocol, and with which labels.
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

#ifndef MPROF_SHIP_TARGET_H
#define MPROF_SHIP_TARGET_H

#include "base/sink.h"
#include "serve/ship.h"

enum ship_protocol { SHIP_PYROSCOPE, SHIP_PARCA, SHIP_OTEL };

struct ship_target {
  enum ship_protocol protocol;
  char *url;   /* owned, as all of these; with the path */
  char *shown; /* the same without a password */
  char *service;
  char *labels;   /* NAME=VALUE, one a line, with that of the host */
  char *comments; /* the same with the service */
};

/* A request, of which all is owned. */
struct ship_request {
  char *url; /* by libcurl */
  const char *content_type;
  struct string_sink body;
};

/* False: MESSAGE says why.  Release it even then. */
bool ship_target_init(struct ship_target *target,
                      const struct ship_options *options, const char *program,
                      char *message);
void ship_target_release(struct ship_target *target);

/* Profiles, the second one of length 0 where there is none. */
struct ship_part {
  struct {
    const char *octets;
    size_t length;
  } profiles[2];
  int64_t from, until; /* nanoseconds since 1970 */
};

/* False when memory runs out.  Release it even then. */
bool ship_request_init(struct ship_request *request,
                       const struct ship_target *target,
                       const struct ship_part *part);
void ship_request_release(struct ship_request *request);

#endif
