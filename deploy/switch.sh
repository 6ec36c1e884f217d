#!/bin/sh
# Switches to another installed version of the program, and back by itself if that one does not
# work.
#
#   switch [--after-restart] VERSION   change over now, or with the next restart of the machine
#   switch --settled                   (systemd, after a start) the new version works: keep it
#   switch --back                      (systemd, after a failure) back, if a change is pending
#
# Plain shell, no part of any version: it must work when a version does not.
# A copy is kept in /opt/centerpiece. `current` is replaced in one step, `pending` is written before
# it and removed last, and every step can be repeated: so a power cut at any point leaves a version
# that starts or a way back.
set -u

ROOT="" AFTER="" TASK=switch VERSION=""
TRIES=${CENTERPIECE_TRIES:-20}
PAUSE=${CENTERPIECE_PAUSE:-1}

say() { printf '%s\n' "$*"; }

complain() { printf 'centerpiece: %s\n' "$*" >&2; }

while [ $# -gt 0 ]; do
    case $1 in
        --root)
            ROOT=$2
            shift
            ;;
        --after-restart) AFTER=yes ;;
        --settled | --back) TASK=${1#--} ;;
        *) VERSION=$1 ;;
    esac
    shift
done

HOME_DIR=$ROOT/opt/centerpiece
DATA=$ROOT/var/lib/centerpiece
CONFIG=$ROOT/etc/centerpiece.toml
PENDING=$HOME_DIR/pending

hardware() { sed -n 's/^CENTERPIECE_HARDWARE=//p' "$ROOT/etc/default/centerpiece" 2>/dev/null; }

present() { basename "$(readlink "$HOME_DIR/current" 2>/dev/null)" 2>/dev/null; }

# as_service COMMAND…: as the service's own user, who may have put links to anything into its folder.
as_service() { if [ -z "$ROOT" ]; then runuser -u centerpiece -- "$@"; else "$@"; fi; }

# ask VERSION COMMAND…: run a command of a version.
# -P: this very version, not a program that lies in the folder from which we were called.
ask() {
    asked=$1
    shift
    as_service "$HOME_DIR/versions/$asked/bin/python" -P -m centerpiece "$@"
}

# A version runs with its own units. They come first: should the plug be pulled before `current` has
# changed and the present version not start with them, `pending` leads back to both.
units() { # units VERSION
    changed=""
    for unit in "$HOME_DIR/versions/$1"/deploy/centerpiece*.service \
        "$HOME_DIR/versions/$1"/deploy/centerpiece*.path; do
        installed=$ROOT/etc/systemd/system/${unit##*/}
        cmp -s "$unit" "$installed" && continue
        [ -f "$unit" ] || continue
        cp "$unit" "$installed.new"
        sync
        mv -f "$installed.new" "$installed"
        changed=yes
    done
    [ -z "$changed" ] || systemctl daemon-reload
}

point() { # point VERSION: `current` is the old one or the new one, never nothing
    units "$1"
    rm -f "$HOME_DIR/current.new"
    ln -s "versions/$1" "$HOME_DIR/current.new"
    mv -Tf "$HOME_DIR/current.new" "$HOME_DIR/current"
    # The script itself comes from the version in use; it is replaced as a whole, too.
    cp "$HOME_DIR/versions/$1/switch" "$HOME_DIR/switch.new"
    sync
    mv -f "$HOME_DIR/switch.new" "$HOME_DIR/switch"
    sync
}

promise() { # promise OLD BACKUP: how to get back, should VERSION not be well
    printf 'version=%s\nprevious=%s\nbackup=%s\n' "$VERSION" "$1" "$2" >"$PENDING.new"
    sync
    mv -f "$PENDING.new" "$PENDING"
    sync
}

promised() { sed -n "s/^$1=//p" "$PENDING" 2>/dev/null; }

answers() { # answers VERSION: the service is up and its page can be read
    left=$TRIES
    while [ "$left" -gt 0 ]; do
        systemctl is-active --quiet centerpiece || return 1
        ask "$1" state --config "$CONFIG" >/dev/null 2>&1 && return 0
        left=$((left - 1))
        sleep "$PAUSE"
    done
    return 1
}

comes_up() { # comes_up VERSION: systemd waits until the hub says that it is ready
    systemctl reset-failed centerpiece 2>/dev/null
    systemctl start centerpiece && answers "$1"
}

# The games as they were, should the newer version have changed their format. The version that made
# the copy takes it back, in one step; what was there, with what is in its log, is kept beside it.
put_games_back() {
    [ -f "$2" ] && ask "$1" restore "$2" --force --phones --data "$DATA" >/dev/null
}

# After a signal while the hub is down (a time limit, or the stick was pulled): start whatever is
# `current` now; `pending` leads back if that does not work.
play_on_if_stopped() {
    trap 'exec 9>&-; systemctl --no-block start centerpiece; exit 130' HUP INT TERM
}

told() { # told SENTENCE: on the page and on the card; the installer's own caller tells it otherwise
    [ "$TASK" != back ] || "$HOME_DIR/current/bin/python" -P -m centerpiece problem \
        --root "${ROOT:-/}" update "An update was not kept: $1." || true
}

went_back() { # went_back WORDS…
    rm -f "$PENDING"
    complain "$*"
    told "$*"
}

go_back() {
    failed=$(promised version)
    previous=$(promised previous)
    backup=$(promised backup)
    if [ -z "$previous" ] || [ ! -e "$HOME_DIR/versions/$previous/complete" ]; then
        complain "there is no earlier version to go back to"
        rm -f "$PENDING"
        return 1
    fi
    play_on_if_stopped
    systemctl stop centerpiece
    point "$previous"
    if comes_up "$previous"; then
        went_back "version $failed did not come up healthy; $previous is back in use"
        return 0
    fi
    systemctl stop centerpiece
    if put_games_back "$previous" "$backup" && comes_up "$previous"; then
        went_back "version $failed did not come up healthy; $previous is back in use," \
            "with the games as they were before the update"
        return 0
    fi
    went_back "version $failed did not come up healthy, and neither does $previous;" \
        "see what 'centerpiece doctor' says"
    return 1
}

back_up() { # back_up OLD NEW: a verified copy of the games, made by the version that wrote them
    [ -f "$DATA/table.db" ] || return 0
    backup=$DATA/backups/before-$2.db
    as_service mkdir -p "$DATA/backups" &&
        ask "$1" backup "$backup" --force --data "$DATA" >/dev/null
}

prune() { # prune KEEP…: the version in use and the one before stay
    for version in "$HOME_DIR"/versions/*; do
        name=${version##*/}
        case " $* " in
            *" $name "*) ;;
            *) rm -f "$version/complete" && rm -rf "$version" ;;
        esac
    done
}

examined() { # examined VERSION: what its doctor says, and whether it is content
    ask "$1" doctor --config "$CONFIG" --data "$DATA" --hardware "$(hardware)" 2>&1
}

faults() { sed -n 's/^✗ //p'; }

# fits OLD: true if VERSION can use every part of this hub that OLD can use. A broken part does not
# prevent an update.
fits() {
    said=$(examined "$VERSION") && return 0
    if [ $? = 3 ]; then found=$(say "$said" | faults); else found=""; fi
    say "$said"
    known=$(examined "$1" | faults | cut -d: -f1)
    new=$(say "${found:-the doctor itself failed}" | while IFS= read -r fault; do
        say "$known" | grep -qFx "${fault%%:*}" || say "$fault"
    done | head -n 1)
    if [ -z "$new" ]; then
        say "note: version $1 has the same trouble, so it is no reason to stay with it"
        return 0
    fi
    complain "the doctor of version $VERSION is not content ($new); $1 stays in use"
    return 1
}

change_over() {
    old=$(present)
    backup=""
    if [ ! -e "$HOME_DIR/versions/$VERSION/complete" ]; then
        complain "version $VERSION is not there, or not complete; nothing was changed"
        return 2
    fi
    if [ -z "$AFTER" ] && [ -n "$old" ]; then
        fits "$old" || return 1
    fi
    if [ -z "$AFTER" ]; then
        play_on_if_stopped
        systemctl stop centerpiece 2>/dev/null
    fi
    if [ -n "$old" ]; then
        back_up "$old" "$VERSION" || {
            complain "the games could not be backed up; $old stays in use"
            [ -n "$AFTER" ] || systemctl start centerpiece
            return 1
        }
        promise "$old" "$backup"
    fi
    if [ -n "$AFTER" ]; then
        point "$VERSION"
        say "version $VERSION starts with the next restart of the machine"
        return 0
    fi
    point "$VERSION"
    if comes_up "$VERSION"; then
        rm -f "$PENDING"
        prune "$VERSION" "$old"
        say "version $VERSION is in use"
        return 0
    fi
    if [ -n "$old" ]; then
        go_back
        return 1
    fi
    complain "the hub did not come up; see what 'centerpiece doctor' says"
    return 1
}

settle() { # after a restart of the machine: is the pending version well?
    [ -f "$PENDING" ] || return 0
    now=$(present)
    answers_soon "$now" || return 1
    units "$now"
    previous=$(promised previous)
    rm -f "$PENDING"
    prune "$now" "$previous"
}

answers_soon() { # the service is still 'activating' here, so only its page is asked
    left=$TRIES
    while [ "$left" -gt 0 ]; do
        ask "$1" state --config "$CONFIG" >/dev/null 2>&1 && return 0
        left=$((left - 1))
        sleep "$PAUSE"
    done
    return 1
}

# Only one change at a time; what systemd reports meanwhile is part of it.
exec 9>"$ROOT/run/centerpiece-switch.lock"
if ! flock -n 9; then
    [ "$TASK" = switch ] || exit 0
    complain "another change of version is under way; wait for it to end"
    exit 2
fi

case $TASK in
    settled) settle ;;
    back)
        [ -f "$PENDING" ] || exit 0
        go_back
        ;;
    switch) change_over ;;
esac
