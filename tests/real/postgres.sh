#!/usr/bin/env bash
# A real PostgreSQL for tests: on 127.0.0.1 with a password, and on a socket without one for whoever may reach it.
#
#   postgres.sh start DIR           start, or start again, and print the settings as KEY=VALUE
#   postgres.sh stop DIR [MODE]     stop (fast, or immediate as after a crash); data and port stay
#   postgres.sh purge DIR           stop, and remove everything
#   postgres.sh watch DIR PID       purge once that process is gone, however it went
#
# Needs Debian's postgresql and python3. PostgreSQL never runs as root: for root it runs as postgres, with its data in a
# folder under /tmp that this account can reach, named in DIR/home. It is quick, not durable: fsync is off.
set -euo pipefail
umask 022
ROOM=60 # seconds to wait for the server

die() { echo "${0##*/}: $*" >&2; exit 1; }

program() { find /usr/lib/postgresql/*/bin -name "$1" 2>/dev/null | sort -V | tail -n 1 | grep . || command -v "$1"; }

as_owner() { if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }

free_port() { # below the range that the kernel gives to outgoing connections
  python3 - <<'PY'
import random, socket
while True:
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", random.randint(20000, 32000)))
        except OSError:
            continue
        print(s.getsockname()[1])
        break
PY
}

alive() { # HOME: a zombie, or another process with a reused id, is not it
  local pid; { read -r pid <"$1/data/postmaster.pid"; } 2>/dev/null || return 1
  grep -q '^State:.[ZX]' "/proc/$pid/status" 2>/dev/null && return 1
  { tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -qF -- "$1/data"
}

configure() { # DIR
  local h port password
  h=$(mktemp -d /tmp/pbem-postgres.XXXXXX); echo "$h" >"$1/home"
  port=$(free_port) password=$(python3 -c 'import secrets; print(secrets.token_hex(12))')
  mkdir "$h/data" "$h/socket"
  printf '%s\n' "$password" >"$h/password"
  chmod 700 "$h/data" "$h/socket"; chmod 600 "$h/password"
  [ "$(id -u)" != 0 ] || chown -R postgres: "$h"
  as_owner "$(program initdb)" -D "$h/data" -U pbem --auth-local=trust --auth-host=scram-sha-256 --pwfile="$h/password" \
    -E UTF8 --locale=C.UTF-8 --no-sync >"$1/initdb.log" 2>&1 || { cat "$1/initdb.log" >&2; die "initdb failed"; }
  as_owner tee -a "$h/data/postgresql.conf" >/dev/null <<CONF
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$h/socket'
max_connections = 100
shared_buffers = 32MB
fsync = off
full_page_writes = off
autovacuum_naptime = 10min
CONF
  printf '%s\n' "PORT=$port" "SOCKET=$h/socket" "PASSWORD=$password" "LOG=$h/server.log" >"$1/settings"
}

start() { # DIR
  local h log
  [ -s "$1/settings" ] || configure "$1"
  h=$(cat "$1/home") log=$1/start.log
  alive "$h" || as_owner "$(program pg_ctl)" start -D "$h/data" -w -t $ROOM -l "$h/server.log" >"$log" 2>&1 </dev/null 8>&- ||
    { tail -n 15 "$log" "$h/server.log" >&2; die "PostgreSQL did not start"; }
  cat "$1/settings"
}

stop() { # DIR [MODE]
  local h; [ -s "$1/home" ] || return 0
  h=$(cat "$1/home")
  ! alive "$h" || as_owner "$(program pg_ctl)" stop -D "$h/data" -m "${2:-fast}" -w >"$1/stop.log" 2>&1
}

main() {
  local verb=${1:-} d=${2:-}
  [ -n "$d" ] || die "usage: ${0##*/} start|stop|purge|watch DIR"
  mkdir -p "$d"; d=$(realpath "$d")
  [ "$verb" != watch ] || { tail --pid="$3" -f /dev/null; [ -e "$d/settings" ] || exit 0; verb=purge; }
  exec 8>"$d/lock"; flock 8 # the server is started with 8>&-
  case $verb in
    start) start "$d" ;;
    stop) stop "$d" "${3:-}" ;;
    purge)
      stop "$d" immediate
      [ ! -s "$d/home" ] || rm -rf -- "$(cat "$d/home")"
      rm -rf -- "$d" ;;
    *) die "usage: ${0##*/} start|stop|purge|watch DIR" ;;
  esac
}

main "$@"
