/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Clients, their deadlines, and the loop.
 *
 * libmicrohttpd cuts off a silent client, but not one that sends a byte now
 * and then.  So each client has a deadline for its request, and then one for
 * reading the answer.  At the deadline its socket is shut down, and
 * libmicrohttpd finds it disconnected.
 */

#include "serve/serving.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  REQUEST_SECONDS = 10,
  ANSWER_SECONDS = 120,
  CONNECTION_BYTES = 32 << 10 /* a request, headers and all */
};
static const int64_t second = 1000000000;

/* ---- connections ---- */

static void
allow(struct client *client, int64_t seconds)
{
  client->deadline = clock_nanos(CLOCK_MONOTONIC) + seconds * second;
}

/* Makes CLIENT one that is about to send a request FROM a connection. */
static void
client_init(struct client *client, struct server *server,
            struct MHD_Connection *from)
{
  *client = (struct client){
      .server = server,
      .connection = from,
      .descriptor =
          MHD_get_connection_info(from, MHD_CONNECTION_INFO_CONNECTION_FD)
              ->connect_fd};
  allow(client, REQUEST_SECONDS);
}

static void
notify(void *closure, struct MHD_Connection *from, void **context,
       enum MHD_ConnectionNotificationCode code)
{
  struct server *server = closure;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    struct client *client = server->clients;
    while (client->connection != NULL) /* libmicrohttpd keeps the limit */
      client++;
    client_init(client, server, from);
    *context = client;
  } else {
    ((struct client *)*context)->connection = NULL;
    server->has_room = true;
  }
}

static struct client *
client_of(struct MHD_Connection *from)
{
  return MHD_get_connection_info(from, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
      ->socket_context;
}

/* ---- requests ---- */

/* Handles a request.  libmicrohttpd calls this when the headers have arrived,
 * for each piece of a body, which nobody reads, at its end, and again after
 * the request has waited. */
static enum MHD_Result
handle(void *closure, struct MHD_Connection *from, const char *path,
       const char *method, const char *version, const char *sent,
       size_t *sent_bytes, void **context)
{
  struct client *client = client_of(from);
  (void)closure, (void)sent;
  client->takes_interim = strcmp(version, MHD_HTTP_VERSION_1_1) == 0;
  if (*context == NULL || *sent_bytes > 0) {
    *context = client;
    *sent_bytes = 0;
    return MHD_YES;
  }
  allow(client, ANSWER_SECONDS);
  if (!client->asked)
    request_answer(client, path, method);
  client->asked = true;
  if (client->waits) {
    MHD_suspend_connection(from);
    return MHD_YES;
  }
  return client->response == NULL
             ? MHD_NO
             : MHD_queue_response(from, client->status, client->response);
}

static void
resume(struct client *client)
{
  client->waits = false;
  allow(client, ANSWER_SECONDS);
  MHD_resume_connection(client->connection);
}

/* Ends the wait of CLIENT with an error. */
static void
give_up(struct client *client, const char *why)
{
  answer_error(client, MHD_HTTP_SERVICE_UNAVAILABLE, why);
  resume(client);
}

static void
completed(void *closure, struct MHD_Connection *from, void **context,
          enum MHD_RequestTerminationCode code)
{
  struct client *client = client_of(from);
  (void)code;
  if (client->response != NULL)
    MHD_destroy_response(client->response);
  mprof_profile_close(client->base.profile);
  client_init(client, closure, from);
  *context = NULL;
}

/* ---- the loop ---- */

/* Handles the deadlines that are over.  Returns the next one. */
static int64_t
look_at_clock(struct server *server)
{
  const int64_t now = clock_nanos(CLOCK_MONOTONIC);
  int64_t next = INT64_MAX;
  for (int i = 0; i < MOST_CLIENTS; i++) {
    struct client *c = &server->clients[i];
    if (c->connection == NULL)
      continue;
    if (c->deadline <= now && c->waits) {
      request_end_wait(c);
      resume(c);
      next = 0; /* libmicrohttpd must run to send the answer */
    } else if (c->deadline <= now) {
      shutdown(c->descriptor, SHUT_RDWR);
      c->deadline = INT64_MAX;
    }
    if (c->deadline < next)
      next = c->deadline;
  }
  return next;
}

/* Returns how long to wait at most: until NEXT, or as libmicrohttpd says. */
static int64_t
time_to_wait(const struct server *server, int64_t next)
{
  MHD_UNSIGNED_LONG_LONG milliseconds;
  int64_t nanos = next - clock_nanos(CLOCK_MONOTONIC);
  if (nanos < 0)
    return 0;
  if (MHD_get_timeout(server->daemon, &milliseconds) == MHD_YES &&
      milliseconds < (uint64_t)nanos / 1000000)
    nanos = (int64_t)milliseconds * 1000000;
  return nanos;
}

/* Returns whether CLIENT, which will send nothing more, may still read. Sends
 * it the interim answer that HTTP/1.1 has for any request: if the client is
 * gone, its kernel refuses it, and the connection has an error. */
static bool
may_read(struct client *client)
{
  static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
  client->was_asked = true;
  return client->takes_interim &&
         send(client->descriptor, text, sizeof text - 1,
              MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof text - 1;
}

/* Waits until there is something to do, with the owner's mask of SIGNALS. */
static void
wait_for_work(struct server *server, int64_t next, const sigset_t *signals)
{
  const int64_t nanos = time_to_wait(server, next);
  const struct timespec time = {nanos / second, nanos % second};
  const int epoll =
      MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  struct pollfd polled[MOST_CLIENTS + 2] = {
      [MOST_CLIENTS] = {epoll, POLLIN, 0}, {server->wake, POLLIN, 0}};
  eventfd_t number;
  for (int i = 0; i < MOST_CLIENTS; i++) {
    const struct client *c = &server->clients[i];
    polled[i] = (struct pollfd){c->waits ? c->descriptor : -1,
                                c->was_asked ? 0 : POLLRDHUP, 0};
  }
  if (ppoll(polled, MOST_CLIENTS + 2, &time, signals) <= 0)
    return;
  if (eventfd_read(server->wake, &number) == 0)
    server->stopped = true;
  for (int i = 0; i < MOST_CLIENTS; i++)
    if (polled[i].revents != 0 &&
        (polled[i].revents != POLLRDHUP || !may_read(&server->clients[i])))
      give_up(&server->clients[i], "the client has disconnected");
}

void
mprof_server_run(struct server *server)
{
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &server->program->interrupts, &before);
  for (;;) {
    do { /* with room it listens again, but not in the same run */
      server->has_room = false;
      MHD_run(server->daemon);
    } while (server->has_room);
    if (server->stopped)
      break;
    wait_for_work(server, look_at_clock(server), &before);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void
mprof_server_stop(struct server *server)
{
  eventfd_write(server->wake, 1);
}

/* ---- life ---- */

static bool
is_loopback(const struct sockaddr *address)
{
  const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
  const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
  return address->sa_family == AF_INET
             ? ntohl(v4->sin_addr.s_addr) >> 24 == 127
             : IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

/* Starts to listen at ADDRESS.  Returns NULL, or why that failed. */
static const char *
start(struct server *server, const char *address, const char *port)
{
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                 .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV |
                                             AI_PASSIVE};
  struct addrinfo *found;
  const int wrong = getaddrinfo(address, port, &hints, &found);
  if (wrong != 0)
    return gai_strerror(wrong);
  server->loopback = is_loopback(found->ai_addr);
  const unsigned six = found->ai_family == AF_INET6 ? MHD_USE_DUAL_STACK : 0;
  server->daemon = MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | six, 0, NULL, NULL, handle,
      server, MHD_OPTION_SOCK_ADDR, found->ai_addr,
      MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CLIENTS,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
      MHD_OPTION_NOTIFY_CONNECTION, notify, server,
      MHD_OPTION_NOTIFY_COMPLETED, completed, server, MHD_OPTION_END);
  const int error = errno;
  freeaddrinfo(found);
  return server->daemon != NULL ? NULL : strerrordesc_np(error);
}

struct server *
mprof_server_open(const char *address, unsigned port,
                  const struct program *program, char *message)
{
  struct server *server = calloc(1, sizeof *server);
  char digits[16];
  const char *wrong = "out of memory";
  if (address == NULL)
    address = "127.0.0.1";
  snprintf(digits, sizeof digits, "%u", port);
  if (server != NULL) {
    server->program = program;
    server->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    wrong = server->wake < 0 ? strerrordesc_np(errno)
                             : start(server, address, digits);
  }
  if (wrong == NULL)
    return server;
  snprintf(message, PROGRAM_MESSAGE_LENGTH, "cannot serve at %s, port %s: %s",
           address, digits, wrong);
  if (server != NULL && server->wake >= 0)
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
  for (int i = 0; i < MOST_CLIENTS; i++) /* libmicrohttpd would wait */
    if (server->clients[i].waits)
      give_up(&server->clients[i], "the server is shutting down");
  MHD_run(server->daemon);
  MHD_stop_daemon(server->daemon);
  close(server->wake);
  free(server);
}

const struct server_calls mprof_server_calls = {
    mprof_server_open, mprof_server_port, mprof_server_run, mprof_server_stop,
    mprof_server_close};
