#!/usr/bin/env bash
# Real mail for tests, on 127.0.0.1 alone: Postfix (SMTP and submission) hands over by LMTP to Dovecot (IMAP).
#
#   mail.sh start DIR                     start, or start again, and print the settings as KEY=VALUE
#   mail.sh stop DIR [dovecot|postfix]    stop both, or one; mails and ports stay
#   mail.sh purge DIR                     stop, and remove everything
#
# The mailboxes are user0 to user999, each with the password NAME-pw: Dovecot looks for new ones once a second only.
# Needs root (Postfix), and Debian's postfix, dovecot-core, dovecot-imapd, dovecot-lmtpd, openssl, python3. DIR holds
# the settings; the mail lies in a folder under /tmp that the servers' own accounts can reach, named in DIR/home.
# full@ is refused with 550, later@ with 450, another domain with 550: no mail leaves. An unknown name is accepted, and
# makes a real bounce.
set -euo pipefail
umask 022
PATH=$PATH:/usr/sbin:/sbin
DOMAIN=pbem.test
ROOM=30 # seconds to wait for a server

die() { echo "${0##*/}: $*" >&2; exit 1; }

wait_for() { # SECONDS COMMAND...
  local end=$(($(date +%s) + $1)); shift
  until "$@"; do [ "$(date +%s)" -lt "$end" ] || return 1; sleep 0.05; done
}

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
silent() { ! answers "$1"; }

free_ports() { # below the range that the kernel gives to outgoing connections
  python3 - "$1" <<'PY'
import random, socket, sys
held = []
while len(held) < int(sys.argv[1]):
    s = socket.socket()
    try:
        s.bind(("127.0.0.1", random.randint(20000, 32000)))
        held.append(s)
    except OSError:
        s.close()
print(*(s.getsockname()[1] for s in held))
PY
}

pid_file() { case $2 in dovecot) echo "$1/dovecot/run/master.pid" ;; postfix) echo "$1/spool/pid/master.pid" ;; esac; }

alive() { # HOME SERVER: print its master's process id; a zombie, or another process with a reused id, is not it
  local pid; { read -r pid _ <"$(pid_file "$1" "$2")"; } 2>/dev/null || return 1
  grep -q '^State:.[ZX]' "/proc/$pid/status" 2>/dev/null && return 1
  [[ $(readlink "/proc/$pid/exe" 2>/dev/null) == */$2/* || $(readlink "/proc/$pid/exe" 2>/dev/null) == */$2 ]] && echo "$pid"
}

offspring() { # PID SERVER: what lives of its process group and runs a program of that server
  local file stat
  for file in /proc/[0-9]*/stat; do
    { read -r stat <"$file"; } 2>/dev/null || continue
    [[ ${stat##*) } =~ ^[^Z]\ [0-9]+\ $1\  ]] || continue # state, parent, group
    file=${file%/stat}
    [[ $(readlink "$file/exe") != *"$2"* ]] || echo "${file##*/}"
  done
}

none_of() { [ -z "$(offspring "$1" "$2")" ]; }

end() { # HOME SERVER: end it and all that it started, also when the master is dead already
  local pid file; file=$(pid_file "$1" "$2")
  { read -r pid _ <"$file"; } 2>/dev/null || return 0
  if alive "$1" "$2" >/dev/null; then
    kill "$pid" 2>/dev/null || true
    wait_for 2 none_of "$pid" "$2" || true
  fi
  offspring "$pid" "$2" | xargs -r kill -KILL 2>/dev/null || true
  rm -f "$file"
}

dovecot_conf() { # HOME; the ports come from configure
  local h=$1 old='' listen=listen
  case $(dovecot --version) in 2.[0-3].*) old=1 listen=address ;; esac
  [ -n "$old" ] || printf '%s\n' 'dovecot_config_version = 2.4.0' 'dovecot_storage_version = 2.4.0'
  cat <<CONF
base_dir = $h/dovecot/run
state_dir = $h/dovecot/state
log_path = $h/dovecot.log
instance_name = $(basename "$h")
listen = 127.0.0.1
protocols = imap lmtp
ssl = yes
auth_mechanisms = plain login
auth_failure_delay = 0
mail_uid = mail
mail_gid = mail
first_valid_uid = 1
recipient_delimiter = +
mailbox_idle_check_interval = 1 secs
service imap-login {
  inet_listener imap {
    port = $IMAP
  }
  inet_listener imaps {
    port = $IMAPS
    ssl = yes
  }
}
service lmtp {
  inet_listener lmtp {
    $listen = 127.0.0.1
    port = $LMTP
  }
}
service auth {
  inet_listener sasl {
    $listen = 127.0.0.1
    port = $SASL
  }
}
protocol lmtp {
  postmaster_address = postmaster@$DOMAIN
}
CONF
  if [ -n "$old" ]; then cat <<CONF
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
ssl_cert = <$h/cert.pem
ssl_key = <$h/key.pem
auth_username_format = %Lu
mail_location = maildir:$h/mail/%d/%n
passdb {
  driver = passwd-file
  args = username_format=%u $h/users
}
userdb {
  driver = passwd-file
  args = username_format=%u $h/users
  default_fields = uid=mail gid=mail home=$h/mail/%d/%n
}
CONF
  else cat <<CONF
ssl_server_cert_file = $h/cert.pem
ssl_server_key_file = $h/key.pem
auth_username_format = %{user | lower}
mail_driver = maildir
mail_home = $h/mail/%{user | domain}/%{user | username}
mail_path = ~/
passdb passwd-file {
  passwd_file_path = $h/users
}
userdb passwd-file {
  passwd_file_path = $h/users
}
CONF
  fi
}

postfix_conf() { # HOME
  local h=$1
  mkdir -p "$h/postfix" "$h/postfix-data" "$h/spool/pid"
  chown postfix "$h/postfix-data"
  ( # as "postfix check" would, which costs two seconds and is left out by quick-start
    cd "$h/spool"
    install -d -o postfix -g root -m 700 active bounce corrupt defer deferred flush hold incoming private saved trace
    install -d -o postfix -g postdrop -m 730 maildrop
    install -d -o postfix -g postdrop -m 710 public
  )
  cat >"$h/postfix/main.cf" <<CONF
compatibility_level = 3.6
queue_directory = $h/spool
data_directory = $h/postfix-data
maillog_file = $h/postfix.log
maillog_file_prefixes = $h
myhostname = mail.$DOMAIN
mydestination =
mynetworks =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
recipient_delimiter = +
biff = no
alias_maps =
alias_database =
message_size_limit = 52428800
virtual_mailbox_limit = 0
virtual_mailbox_domains = $DOMAIN
virtual_transport = lmtp:inet:127.0.0.1:$LMTP
smtpd_recipient_restrictions = check_recipient_access inline:{ { full@$DOMAIN = 550 5.2.2 mailbox full }, { later@$DOMAIN = 450 4.2.1 try again later } }
default_transport = error:5.7.1 no mail leaves this test server
relay_transport = \$default_transport
local_transport = \$default_transport
disable_dns_lookups = yes
smtpd_peername_lookup = no
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:$SASL
smtpd_tls_security_level = may
smtpd_tls_cert_file = $h/cert.pem
smtpd_tls_key_file = $h/key.pem
smtpd_error_sleep_time = 0
smtpd_client_connection_count_limit = 0
queue_run_delay = 1s
minimal_backoff_time = 1s
maximal_backoff_time = 2s
CONF
  cat >"$h/postfix/master.cf" <<CONF
127.0.0.1:$SMTP inet n - n - - smtpd
127.0.0.1:$SUBMISSION inet n - n - - smtpd
  -o syslog_name=postfix/submission
  -o smtpd_tls_security_level=encrypt
  -o smtpd_sasl_auth_enable=yes
  -o smtpd_client_restrictions=permit_sasl_authenticated,reject
127.0.0.1:$SUBMISSIONS inet n - n - - smtpd
  -o syslog_name=postfix/submissions
  -o smtpd_tls_wrappermode=yes
  -o smtpd_sasl_auth_enable=yes
  -o smtpd_client_restrictions=permit_sasl_authenticated,reject
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
lmtp unix - - n - - lmtp
error unix - - n - - error
retry unix - - n - - error
showq unix n - n - - showq
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
CONF
  touch -d '1 minute ago' "$h/postfix/main.cf" # Postfix waits for one to be two seconds old
}

configure() { # DIR
  local h ports SMTP SUBMISSION SUBMISSIONS IMAP IMAPS LMTP SASL
  h=$(mktemp -d /tmp/pbem-mail.XXXXXX); chmod 755 "$h"; echo "$h" >"$1/home"
  read -r -a ports <<<"$(free_ports 7)"
  SMTP=${ports[0]} SUBMISSION=${ports[1]} SUBMISSIONS=${ports[2]} IMAP=${ports[3]} IMAPS=${ports[4]} LMTP=${ports[5]}
  SASL=${ports[6]}
  mkdir -p "$h/mail" "$h/dovecot"
  chown mail:mail "$h/mail"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost \
    -addext "subjectAltName=DNS:localhost,IP:127.0.0.1" -keyout "$h/key.pem" -out "$h/cert.pem" 2>/dev/null
  seq 0 999 | sed "s/.*/user&@$DOMAIN:{PLAIN}user&-pw::::::/" >"$h/users"
  dovecot_conf "$h" >"$h/dovecot.conf"
  postfix_conf "$h"
  cat >"$1/settings" <<CONF
DOMAIN=$DOMAIN
SMTP=$SMTP
SUBMISSION=$SUBMISSION
SUBMISSIONS=$SUBMISSIONS
IMAP=$IMAP
IMAPS=$IMAPS
LMTP=$LMTP
CA_FILE=$h/cert.pem
MAILDIRS=$h/mail/$DOMAIN
HOME_FOLDER=$h
CONF
}

ready() { local port; for port in $(sed -n 's/^[A-Z]*=\([0-9]*\)$/\1/p' "$1/settings"); do answers "$port" || return 1; done; }
unused() { local port; for port; do wait_for 5 silent "$port" || die "port $port is taken"; done; }
of() { sed -n "s/^$2=//p" "$1/settings"; }

start() { # DIR
  local d=$1 h
  [ "$(id -u)" = 0 ] || die "needs root (Postfix)"
  [ -s "$d/settings" ] || configure "$d"
  h=$(cat "$d/home")
  if ! alive "$h" dovecot >/dev/null; then
    end "$h" dovecot
    unused "$(of "$d" IMAP)" "$(of "$d" IMAPS)" "$(of "$d" LMTP)"
    dovecot -c "$h/dovecot.conf" >"$d/start.log" 2>&1 </dev/null 8>&- || { cat "$d/start.log" >&2; die "Dovecot did not start"; }
  fi
  if ! alive "$h" postfix >/dev/null; then
    end "$h" postfix
    unused "$(of "$d" SMTP)" "$(of "$d" SUBMISSION)" "$(of "$d" SUBMISSIONS)"
    touch "$h/spool/quick-start"
    postfix -c "$h/postfix" start >>"$d/start.log" 2>&1 </dev/null 8>&- ||
      { tail -n 15 "$d/start.log" "$h/postfix.log" >&2; end "$h" dovecot; die "Postfix did not start"; }
  fi
  wait_for $ROOM ready "$d" || { tail -n 15 "$h"/*.log >&2; die "no answer"; }
  cat "$d/settings"
}

main() {
  local verb=${1:-} d=${2:-} server
  [ -n "$d" ] || die "usage: ${0##*/} start|stop|purge DIR"
  mkdir -p "$d"; d=$(realpath "$d")
  exec 8>"$d/lock"; flock 8 # the servers are started with 8>&-
  case $verb in
    start) start "$d" ;;
    stop) [ ! -s "$d/home" ] || for server in ${3:-postfix dovecot}; do end "$(cat "$d/home")" "$server"; done ;;
    purge)
      [ ! -s "$d/home" ] || { for server in postfix dovecot; do end "$(cat "$d/home")" "$server"; done; rm -rf -- "$(cat "$d/home")"; }
      rm -rf -- "$d" ;;
    *) die "usage: ${0##*/} start|stop|purge DIR" ;;
  esac
}

main "$@"
