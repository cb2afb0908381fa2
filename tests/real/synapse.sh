#!/usr/bin/env bash
# A real Matrix homeserver (Synapse, SQLite) for tests, on 127.0.0.1 alone; no federation.
#
#   synapse.sh start DIR            start, or start again, and print the settings as KEY=VALUE
#   synapse.sh stop DIR             stop; users, rooms and the port stay
#   synapse.sh purge DIR            stop, and remove everything
#   synapse.sh limit DIR on|off     let the server count messages (ten, then one in five seconds), from its next start
#   synapse.sh watch DIR PID        purge once that process is gone, however it went
#
# Needs synapse_homeserver on the PATH, and python3. Any user may run it.
set -euo pipefail
umask 022
NAME=pbem.test
ROOM=60 # seconds to wait for the server

die() { echo "${0##*/}: $*" >&2; exit 1; }

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

alive() { # DIR: print its process id; a zombie, or another process with a reused id, is not it
  local pid; { read -r pid <"$1/pid"; } 2>/dev/null || return 1
  grep -q '^State:.[ZX]' "/proc/$pid/status" 2>/dev/null && return 1
  { tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -qF -- "$1/homeserver.yaml" && echo "$pid"
}

healthy() { # DIR
  python3 - "$(of "$1" HOMESERVER)" 2>/dev/null <<'PY'
import sys, urllib.request as u
u.build_opener(u.ProxyHandler({})).open(sys.argv[1] + "/health", timeout=2)
PY
}

of() { sed -n "s|^$2=||p" "$1/settings"; }
word() { python3 -c 'import secrets; print(secrets.token_hex(24))'; }

configure() { # DIR
  local d=$1 port secret fast='{per_second: 10000, burst_count: 10000}'
  port=$(free_port) secret=$(word)
  python3 -c 'import base64, os; print("ed25519 a_pbem", base64.b64encode(os.urandom(32)).decode().rstrip("="))' >"$d/signing.key"
  chmod 600 "$d/signing.key"
  cat >"$d/log.yaml" <<YAML
version: 1
disable_existing_loggers: false
formatters: {plain: {format: '%(asctime)s %(name)s %(levelname)s %(message)s'}}
handlers: {file: {class: logging.FileHandler, formatter: plain, filename: '$d/synapse.log'}}
root: {level: WARNING, handlers: [file]}
YAML
  cat >"$d/homeserver.yaml" <<YAML
server_name: "$NAME"
public_baseurl: "http://127.0.0.1:$port/"
log_config: '$d/log.yaml'
media_store_path: '$d/media'
signing_key_path: '$d/signing.key'
database: {name: sqlite3, args: {database: '$d/homeserver.db'}}
listeners:
  - {port: $port, bind_addresses: ['127.0.0.1'], type: http, tls: false, resources: [{names: [client]}]}
registration_shared_secret: "$secret"
macaroon_secret_key: "$secret-m"
form_secret: "$secret-f"
enable_registration: false
bcrypt_rounds: 4
presence: {enabled: false}
report_stats: false
url_preview_enabled: false
federation_domain_whitelist: []
trusted_key_servers: []
suppress_key_server_warning: true
rc_registration: $fast
rc_login: {address: $fast, account: $fast, failed_attempts: $fast}
rc_joins: {local: $fast, remote: $fast}
rc_joins_per_room: $fast
rc_invites: {per_room: $fast, per_user: $fast, per_issuer: $fast}
rc_room_creation: $fast
rc_key_requests: $fast
rc_media_create: $fast
rc_admin_redaction: $fast
YAML
  printf '%s\n' "HOMESERVER=http://127.0.0.1:$port" "PORT=$port" "NAME=$NAME" "SECRET=$secret" "LOG=$d/synapse.log" >"$d/settings"
  limit "$d" off
}

limit() { # DIR on|off
  case $2 in
    off) echo 'rc_message: {per_second: 10000, burst_count: 10000}' >"$1/limits.yaml" ;;
    on) echo 'rc_message: {per_second: 2, burst_count: 3}' >"$1/limits.yaml" ;;
    *) die "limit on, or limit off" ;;
  esac
}

start() { # DIR
  [ -s "$1/settings" ] || configure "$1"
  if ! alive "$1" >/dev/null; then
    setsid synapse_homeserver -c "$1/homeserver.yaml" -c "$1/limits.yaml" >"$1/out" 2>&1 </dev/null 8>&- &
    echo $! >"$1/pid"
    local end=$(($(date +%s) + ROOM))
    until healthy "$1"; do
      alive "$1" >/dev/null && [ "$(date +%s)" -lt "$end" ] || { tail -n 15 "$1/out" >&2; die "Synapse did not start"; }
      sleep 0.05
    done
  fi
  cat "$1/settings"
}

stop() { # DIR
  local pid end; pid=$(alive "$1") || { rm -f "$1/pid"; return 0; }
  kill "$pid" 2>/dev/null || true
  end=$(($(date +%s) + 10))
  while alive "$1" >/dev/null; do
    [ "$(date +%s)" -lt "$end" ] || kill -KILL "$pid" 2>/dev/null || true
    sleep 0.02
  done
  rm -f "$1/pid"
}

main() {
  local verb=${1:-} d=${2:-}
  [ -n "$d" ] || die "usage: ${0##*/} start|stop|purge|limit|watch DIR"
  mkdir -p "$d"; d=$(realpath "$d")
  [ "$verb" != watch ] || { tail --pid="$3" -f /dev/null; [ -e "$d/settings" ] || exit 0; verb=purge; }
  exec 8>"$d/lock"; flock 8 # the server is started with 8>&-
  case $verb in
    start) start "$d" ;;
    stop) stop "$d" ;;
    limit) limit "$d" "${3:-}" ;;
    purge) stop "$d"; rm -rf -- "$d" ;;
    *) die "usage: ${0##*/} start|stop|purge|limit|watch DIR" ;;
  esac
}

main "$@"
