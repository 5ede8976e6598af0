/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Connections, their time, and the loop.
 *
 * libmicrohttpd cuts off who is silent, but not who sends a byte now and then.
 * So each connection has a deadline for its request, and then one for reading
 * the answer; it is shut down when that is over, which libmicrohttpd takes
 * for the other side's doing.
 */

#include "serve/serving.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
  MOST_CONNECTIONS = 64,  /* descriptors that the program does without */
  CROWD = 48,             /* from here on who has not asked makes room */
  REQUEST_SECONDS = 10,
  ANSWER_SECONDS = 120,
  CONNECTION_BYTES = 32 << 10, /* a request, headers and all */
  MOST_FORM_BYTES = 4096
};
static const int64_t second = 1000000000;

int64_t
monotonic_nanos(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * second + now.tv_nsec;
}

/* ---- connections ---- */

static void
cut_off(const struct connection *connection)
{
  shutdown(connection->descriptor, SHUT_RDWR);
}

/* Makes room for one that has just come. */
static void
thin_out(const struct server *server)
{
  for (const struct connection *c = server->oldest;
       c != server->newest && server->connection_count > CROWD; c = c->next)
    if (!c->asked) {
      cut_off(c);
      return;
    }
}

static void
connection_begins(struct server *server, struct MHD_Connection *from,
                  void **context)
{
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(from, MHD_CONNECTION_INFO_CONNECTION_FD);
  struct connection *c = calloc(1, sizeof *c);
  *context = c;
  if (c == NULL) {
    shutdown(info->connect_fd, SHUT_RDWR);
    return;
  }
  c->descriptor = info->connect_fd;
  c->deadline = monotonic_nanos() + REQUEST_SECONDS * second;
  c->previous = server->newest;
  *(c->previous != NULL ? &c->previous->next : &server->oldest) = c;
  server->newest = c;
  server->connection_count++;
  thin_out(server);
}

static void
connection_ends(struct server *server, struct connection *c)
{
  if (c == NULL)
    return;
  *(c->previous != NULL ? &c->previous->next : &server->oldest) = c->next;
  *(c->next != NULL ? &c->next->previous : &server->newest) = c->previous;
  server->connection_count--;
  free(c);
}

static void
notify(void *closure, struct MHD_Connection *from, void **context,
       enum MHD_ConnectionNotificationCode code)
{
  if (code == MHD_CONNECTION_NOTIFY_STARTED)
    connection_begins(closure, from, context);
  else
    connection_ends(closure, *context);
}

static struct connection *
connection_of(struct MHD_Connection *from)
{
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(from, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info->socket_context;
}

/* ---- requests ---- */

static enum MHD_Result
read_form(void *closure, enum MHD_ValueKind kind, const char *key,
          const char *file, const char *type, const char *encoding,
          const char *data, uint64_t offset, size_t size)
{
  struct request *request = closure;
  (void)kind, (void)file, (void)type, (void)encoding;
  if (strcmp(key, "token") == 0 && offset + size < sizeof request->token)
    memcpy(request->token + offset, data, size);
  return MHD_YES;
}

static struct request *
request_begin(struct server *server, struct MHD_Connection *from,
              const char *method)
{
  struct request *request = calloc(1, sizeof *request);
  struct connection *c = connection_of(from);
  if (request == NULL || c == NULL) {
    free(request);
    return NULL;
  }
  request->server = server;
  request->connection = from;
  if (strcmp(method, MHD_HTTP_METHOD_POST) == 0)
    request->form = MHD_create_post_processor(from, 1024, read_form, request);
  return request;
}

/* Called when the headers are here, for each piece of what is sent with them,
 * when there is no more, and again after it has waited. */
static enum MHD_Result
handle(void *closure, struct MHD_Connection *from, const char *path,
       const char *method, const char *version, const char *sent,
       size_t *sent_bytes, void **context)
{
  struct request *request = *context;
  (void)version;
  if (request == NULL) {
    *context = request_begin(closure, from, method);
    return *context == NULL ? MHD_NO : MHD_YES;
  }
  if (*sent_bytes > 0) {
    request->too_long = request->too_long || *sent_bytes > MOST_FORM_BYTES;
    if (request->form != NULL && !request->too_long)
      MHD_post_process(request->form, sent, *sent_bytes);
    *sent_bytes = 0;
    return MHD_YES;
  }
  struct connection *c = connection_of(from);
  c->asked = true;
  c->deadline = monotonic_nanos() + ANSWER_SECONDS * second;
  return request_handle(request, path, method);
}

static void
request_resume(struct request *request)
{
  request->waits = WAITS_FOR_NOTHING;
  request->server->resumed = true;
  MHD_resume_connection(request->connection);
}

static void
forget_waiting(struct server *server, const struct request *request)
{
  struct request **at = &server->waiting;
  while (*at != NULL && *at != request)
    at = &(*at)->next;
  if (*at != NULL)
    *at = request->next;
}

/* It waits no longer, though what it waits for has not come. */
static void
request_give_up(struct request *request, const char *why)
{
  forget_waiting(request->server, request);
  request->response = answer_error(
      &request->status, MHD_HTTP_SERVICE_UNAVAILABLE, "%s", why);
  request_resume(request);
}

static void
completed(void *closure, struct MHD_Connection *from, void **context,
          enum MHD_RequestTerminationCode code)
{
  struct request *request = *context;
  struct connection *c = connection_of(from);
  (void)code;
  if (c != NULL) {
    c->asked = false;
    c->deadline = monotonic_nanos() + REQUEST_SECONDS * second;
  }
  if (request == NULL)
    return;
  forget_waiting(closure, request);
  if (request->form != NULL)
    MHD_destroy_post_processor(request->form);
  if (request->response != NULL)
    MHD_destroy_response(request->response);
  base_release(&request->base);
  free(request);
  *context = NULL;
}

/* ---- time ---- */

/* Does what is due, and gives back when the next is. */
static int64_t
look_at_clock(struct server *server)
{
  const int64_t now = monotonic_nanos();
  int64_t next = INT64_MAX;
  for (struct request *r = server->waiting, *after; r != NULL; r = after) {
    after = r->next;
    if (r->waits == WAITS_FOR_TIME && r->due <= now) {
      forget_waiting(server, r);
      request_end_wait(r);
      request_resume(r);
    } else if (r->waits == WAITS_FOR_TIME && r->due < next) {
      next = r->due;
    }
  }
  for (struct connection *c = server->oldest; c != NULL; c = c->next) {
    if (c->deadline <= now) {
      cut_off(c);
      c->deadline = INT64_MAX;
    }
    if (c->deadline < next)
      next = c->deadline;
  }
  return next;
}

/* ---- the loop ---- */

/* How long to wait, at most: until NEXT, or what libmicrohttpd says.  When it
 * has as many connections as it may, it listens on only when it runs again
 * after one has ended. */
static int64_t
time_to_wait(struct server *server, int64_t next)
{
  MHD_UNSIGNED_LONG_LONG milliseconds;
  int64_t nanos = next == INT64_MAX ? INT64_MAX : next - monotonic_nanos();
  if (MHD_get_timeout(server->daemon, &milliseconds) == MHD_YES &&
      milliseconds < (uint64_t)(INT64_MAX / 1000000) &&
      (int64_t)milliseconds * 1000000 < nanos)
    nanos = (int64_t)milliseconds * 1000000;
  if (nanos < 0 || server->resumed)
    nanos = 0;
  else if (server->connection_count >= CROWD && nanos > second / 100)
    nanos = second / 100;
  server->resumed = false;
  return nanos;
}

/* Waits until there is something to do, with signals as the owner has them. */
static void
wait_for_work(struct server *server, int64_t next, const sigset_t *signals)
{
  struct pollfd polled[2 + MOST_CONNECTIONS];
  struct request *waiting[MOST_CONNECTIONS];
  const int64_t nanos = time_to_wait(server, next);
  const struct timespec time = {nanos / second, nanos % second};
  nfds_t count = 2;
  uint64_t number;
  polled[0] = (struct pollfd){
      MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
      POLLIN, 0};
  polled[1] = (struct pollfd){server->wake, POLLIN, 0};
  for (struct request *r = server->waiting; r != NULL; r = r->next) {
    waiting[count - 2] = r;
    polled[count++] = (struct pollfd){
        connection_of(r->connection)->descriptor, POLLRDHUP, 0};
  }
  if (ppoll(polled, count, nanos == INT64_MAX ? NULL : &time, signals) <= 0)
    return;
  if (polled[1].revents != 0 &&
      read(server->wake, &number, sizeof number) > 0)
    server->stopped = true;
  for (nfds_t i = 2; i < count; i++)
    if (polled[i].revents != 0)
      request_give_up(waiting[i - 2], "the client has disconnected");
}

enum serve_event
mprof_server_run(struct server *server)
{
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &server->program->interrupts, &before);
  while (!server->stopped && server->event == SERVE_END) {
    wait_for_work(server, look_at_clock(server), &before);
    MHD_run(server->daemon);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return server->stopped ? SERVE_END : server->event;
}

void
mprof_server_answer(struct server *server, const char *message)
{
  struct request *r = server->waiting;
  while (r != NULL && r->waits != WAITS_FOR_OWNER)
    r = r->next;
  server->event = SERVE_END;
  if (r == NULL)
    return; /* it has gone away */
  forget_waiting(server, r);
  if (message != NULL && *message != '\0') {
    r->response = answer_error(&r->status, MHD_HTTP_CONFLICT, "%s", message);
  } else {
    r->status = MHD_HTTP_SEE_OTHER; /* a browser shows the state again */
    r->response = answer_text("text/plain; "
                              "charset=utf-8", strdup("done\n"), 5);
    MHD_add_response_header(r->response, MHD_HTTP_HEADER_LOCATION, "/");
  }
  request_resume(r);
}

void
mprof_server_stop(struct server *server)
{
  const uint64_t one = 1;
  const int saved = errno;
  (void)!write(server->wake, &one, sizeof one);
  errno = saved;
}

/* ---- life ---- */

struct server *
mprof_server_open(const struct serve_options *options,
                  const struct program *program, char *message)
{
  struct server *server = calloc(1, sizeof *server);
  const char *token = options->token == NULL ? "" : options->token;
  if (server == NULL || strlen(token) >= sizeof server->token) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH,
             server == NULL ? "out of memory" : "the token is too long");
    free(server);
    return NULL;
  }
  strcpy(server->token, token);
  server->program = program;
  const int s = listen_to(options, &server->loopback, message);
  server->wake = s < 0 ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (server->wake >= 0)
    server->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle,
        server, MHD_OPTION_UNESCAPE_CALLBACK, request_unescape, NULL,
        MHD_OPTION_LISTEN_SOCKET, s, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_BYTES, MHD_OPTION_NOTIFY_CONNECTION, notify, server,
        MHD_OPTION_NOTIFY_COMPLETED, completed, server, MHD_OPTION_END);
  if (server->daemon != NULL) {
    program->status(program->closure, &server->before);
    server->before_nanos = monotonic_nanos();
    return server;
  }
  if (s >= 0) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "cannot serve: %s",
             strerrordesc_np(errno));
    close(s);
  }
  if (server->wake >= 0)
    close(server->wake);
  free(server);
  return NULL;
}

unsigned
mprof_server_port(const struct server *server)
{
  return MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

void
mprof_server_close(struct server *server)
{
  while (server->waiting != NULL) /* or else libmicrohttpd waits */
    request_give_up(server->waiting, "the server is shutting down");
  MHD_run(server->daemon);
  MHD_stop_daemon(server->daemon);
  base_release(&server->delta);
  close(server->wake);
  free(server);
}
