#!/usr/bin/env bash
# Makes a Raspberry Pi a centerpiece, from a checkout or from a release archive.
#
# All checks come before the first change. Every change is printed and recorded in
# /opt/centerpiece/installed, so that --uninstall can undo it.
# It can be run again at any time; a second run changes nothing.
set -euo pipefail

usage() {
    cat <<'END'
usage: sudo deploy/install.sh [option …]

  --dry-run              say what would be done, and do nothing
  --uninstall            put everything back; games and changed settings are kept
  --purge                with --uninstall: games and settings go too
  --hardware pi|usb|sim  a hub on the Pi's own pins (default: as it was, or this); on a Pico with a
                         USB cable, or the simulated one, on any Debian machine
  --buttons gpio|keys    wired buttons (default), or a number pad on USB; on a first installation
  --sound serial|alsa|none  a DFPlayer-class module, an I²S amplifier, or silence (default: as it
                         was, or the module)
  --port NUMBER          where the pages are, on a first installation (default 80)
  --name NAME            the machine's name; without it, only 'raspberrypi' becomes 'centerpiece'
  --data-partition WHAT  keep the games on this partition (LABEL=…, PARTUUID=…, /dev/…)
  --beside               only place the program beside the present one; switch to nothing
  --older                go back to a release that is older than the one in use
  --trust                trust the keys of this release, although this hub trusts others
  --root DIR             install below DIR instead of /, and start nothing
  --image                prepare a card for any Pi: what no two hubs share is left to --own
  --own                  (first start of such a card) give the hub a name, settings and a sticker
END
}

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SOURCE=$(dirname "$HERE")
PYTHON=${PYTHON:-python3}
BEGIN="# >>> centerpiece: written by its installer, taken out by --uninstall"
END="# <<< centerpiece"
MEGABYTES_NEEDED=500
UNITS=(centerpiece.service centerpiece-network.service centerpiece-update.service)
QUIET_UNITS=(centerpiece-back.service centerpiece-first.service centerpiece-stick@.service
    centerpiece-machine.service centerpiece-machine.path centerpiece-protect.service)
GROUPS_NEEDED=(gpio spi dialout audio input)
KEYS=/opt/centerpiece/trusted-keys

ROOT="" DRY="" UNINSTALL="" PURGE="" BESIDE="" IMAGE="" OWN="" OLDER="" TRUST="" HARDWARE="" BUTTONS=gpio SOUND="" PORT=80 NAME="" PARTITION=""
CHANGES=0 RESTART="" BUILDING="" SCRATCH="" MODEL=""

# Words

say() { printf '%s\n' "$*"; }

refuse() {
    printf 'centerpiece: %s\n' "$*" >&2
    exit 2
}

# Announce a change. True when it is to be made, false in a dry run.
change() {
    CHANGES=$((CHANGES + 1))
    if [ -n "$DRY" ]; then
        say "would: $*"
        return 1
    fi
    say "changed: $*"
}

live() { [ -z "$ROOT" ]; }

# False below --root and in a chroot, where nothing can be started.
booted() { live && [ -d /run/systemd/system ]; }

parse() {
    while [ $# -gt 0 ]; do
        case $1 in
            --dry-run) DRY=yes ;;
            --uninstall) UNINSTALL=yes ;;
            --purge) PURGE=yes ;;
            --beside) BESIDE=yes ;;
            --image) IMAGE=yes ;;
            --own) OWN=yes ;;
            --older) OLDER=yes ;;
            --trust) TRUST=yes ;;
            --hardware | --buttons | --sound | --port | --name | --data-partition | --root)
                [ $# -ge 2 ] || refuse "$1 needs a value; see --help"
                value "$1" "$2"
                shift
                ;;
            --help | -h)
                usage
                exit 0
                ;;
            *) refuse "there is no option '$1'; see --help" ;;
        esac
        shift
    done
    [ -z "$PURGE" ] || [ -n "$UNINSTALL" ] || refuse "--purge only goes with --uninstall"
}

value() {
    case $1 in
        --hardware)
            [[ $2 =~ ^(pi|usb|sim)$ ]] || refuse "--hardware is 'pi', 'usb' or 'sim', not '$2'"
            HARDWARE=$2
            ;;
        --buttons)
            [[ $2 =~ ^(gpio|keys)$ ]] || refuse "--buttons is 'gpio' or 'keys', not '$2'"
            BUTTONS=$2
            ;;
        --sound)
            [[ $2 =~ ^(serial|alsa|none)$ ]] ||
                refuse "--sound is 'serial', 'alsa' or 'none', not '$2'"
            SOUND=$2
            ;;
        --port)
            [[ $2 =~ ^[1-9][0-9]{0,4}$ && $2 -le 65535 ]] ||
                refuse "--port is a number from 1 to 65535, not '$2'"
            PORT=$2
            ;;
        --name)
            [[ $2 =~ ^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$ ]] ||
                refuse "--name is small letters, digits and hyphens, such as 'table-7', not '$2'"
            NAME=$2
            ;;
        --data-partition)
            [[ $2 =~ ^(LABEL=|UUID=|PARTLABEL=|PARTUUID=|/dev/)[A-Za-z0-9/_.:-]+$ ]] ||
                refuse "--data-partition is LABEL=…, PARTUUID=… or /dev/…, not '$2'"
            PARTITION=$2
            ;;
        --root)
            [ -d "$2" ] || refuse "--root '$2' is no directory"
            ROOT=$(cd "$2" && pwd)
            [ "$ROOT" != / ] || ROOT=""
            ;;
    esac
}

# Checks: nothing below changes anything

judge() {
    [ -n "$DRY" ] || [ "$(id -u)" -eq 0 ] ||
        refuse "this must be run as root: put 'sudo' before the command"
    judge_system
    judge_source
    judge_python
    if [ "$HARDWARE" = pi ]; then
        [ -n "$IMAGE" ] || judge_board
        judge_boot
    fi
    judge_space
    judge_port
}

judge_system() {
    command -v systemctl >/dev/null ||
        refuse "this system has no systemd, which starts the hub;" \
            "use Raspberry Pi OS 'bookworm' or newer"
}

judge_source() {
    local file
    for file in "${UNITS[@]}" "${QUIET_UNITS[@]}" switch.sh centerpiece.toml boot-config.txt; do
        [ -f "$HERE/$file" ] ||
            refuse "deploy/$file is missing; unpack the whole archive and try again"
    done
    [ -f "$SOURCE/requirements.lock" ] ||
        refuse "requirements.lock is missing, which says what may be installed;" \
            "unpack the whole archive and try again"
    if released; then
        judge_signature
        (cd "$SOURCE" && sha256sum --check --quiet --strict SHA256SUMS >/dev/null 2>&1) ||
            refuse "the archive is damaged: its files do not match SHA256SUMS; download it again"
        judge_age
    elif [ ! -f "$SOURCE/pyproject.toml" ]; then
        refuse "$SOURCE is neither a release archive nor a checkout; unpack the whole archive"
    fi
}

released() { [ -f "$SOURCE/SHA256SUMS" ]; } # or a checkout

# A release is signed. The hub decides which keys count; its first release brings them.
# ('centerpiece update' asks the same before anything of an archive runs, this script included.)
judge_signature() {
    local keys=$ROOT$KEYS
    [ -s "$keys" ] && [ -z "$TRUST" ] || keys=$SOURCE/release-keys
    [ -f "$SOURCE/SHA256SUMS.sig" ] ||
        refuse "this release is not signed, so its origin is unknown; do not use it"
    command -v ssh-keygen >/dev/null ||
        refuse "ssh-keygen is missing, which checks who made this release;" \
            "install it with 'sudo apt install openssh-client'"
    ssh-keygen -Y verify -f "$keys" -I centerpiece -n centerpiece-release \
        -s "$SOURCE/SHA256SUMS.sig" <"$SOURCE/SHA256SUMS" >/dev/null 2>&1 ||
        refuse "this release is not signed with a key that this hub trusts; do not use it." \
            "If you know that its keys are right, and only then, add --trust"
}

judge_age() { # releases go forward, unless somebody here says otherwise
    local now offered
    now=$(in_use)
    now=${now%-*}
    offered=$(basename "$(wheel)" | cut -d- -f2)
    [ -z "$now" ] || [ -n "$OLDER" ] ||
        [ "$(printf '%s\n' "$now" "$offered" | sort -V | tail -n 1)" = "$offered" ] ||
        refuse "this release is version $offered, and $now is in use; to go back, add --older"
}

judge_python() {
    local found
    found=$("$PYTHON" -c 'import sys; print("%d %d" % sys.version_info[:2])' 2>/dev/null) ||
        refuse "$PYTHON cannot be run; install it with 'sudo apt install python3'"
    local major minor
    read -r major minor <<<"$found"
    [ "$major" -gt 3 ] || { [ "$major" -eq 3 ] && [ "$minor" -ge 11 ]; } ||
        refuse "Python 3.11 or newer is needed, this is $major.$minor;" \
            "use Raspberry Pi OS 'bookworm' or newer"
}

judge_board() {
    MODEL=$(tr -d '\0' 2>/dev/null <"$ROOT/proc/device-tree/model" || true)
    case $MODEL in
        "Raspberry Pi "[345]* | "Raspberry Pi Zero 2"* | "Raspberry Pi Compute Module "[345]*) ;;
        "Raspberry Pi "*)
            refuse "the '$MODEL' is not known to work;" \
                "use a Raspberry Pi Zero 2 W, 3, 4 or 5"
            ;;
        *)
            refuse "this machine is no Raspberry Pi;" \
                "run this on the hub, or try the simulated one with --hardware sim"
            ;;
    esac
    [ -n "$ROOT" ] || [ "$(getconf LONG_BIT)" = 64 ] ||
        refuse "this is a 32-bit system; choose 'Raspberry Pi OS (64-bit)' for the card"
}

judge_boot() {
    local boot=$ROOT/boot/firmware
    [[ -f $boot/config.txt && -f $boot/cmdline.txt ]] ||
        refuse "/boot/firmware/config.txt or cmdline.txt is not there;" \
            "use Raspberry Pi OS 'bookworm' or newer"
    local begins ends
    begins=$(grep -cFx "$BEGIN" "$boot/config.txt" || true)
    ends=$(grep -cFx "$END" "$boot/config.txt" || true)
    [[ $begins = "$ends" && $begins -le 1 ]] ||
        refuse "/boot/firmware/config.txt has half a centerpiece section;" \
            "delete the lines around '>>> centerpiece' and try again"
    [ -n "$DRY" ] || [ -w "$boot/config.txt" ] ||
        refuse "/boot/firmware is read-only; switch the read-only file system off first"
}

judge_space() {
    local free
    [ -n "$DRY" ] || [ -w "${ROOT:-/}" ] ||
        refuse "the card is protected from writing; switch that off on the settings page," \
            "restart the hub and try again"
    free=$(df -Pm "${ROOT:-/}" | awk 'NR == 2 { print $4 }')
    [ "$free" -ge "$MEGABYTES_NEEDED" ] ||
        refuse "only $free MB are free on the card and $MEGABYTES_NEEDED MB are needed;" \
            "make room, or use a larger card"
}

judge_port() {
    [ ! -f "$ROOT/etc/centerpiece.toml" ] || return 0
    live || return 0
    "$PYTHON" - "$PORT" <<'END' || refuse "port $PORT is in use by another program;" \
        "stop that one, or choose another with --port"
import errno, socket, sys
try:
    socket.create_server(("0.0.0.0", int(sys.argv[1]))).close()
except OSError as error:
    sys.exit(error.errno == errno.EADDRINUSE)
END
}

# Files from before are kept in $BOOKS

# An update has no options, and the hub keeps its hardware and its sound.
as_it_was() {
    HARDWARE=${HARDWARE:-$(sed -n 's/^CENTERPIECE_HARDWARE=//p' "$ROOT/etc/default/centerpiece" 2>/dev/null || true)}
    HARDWARE=${HARDWARE:-pi}
    SOUND=${SOUND:-$(noted sound)}
    SOUND=${SOUND:-serial}
}

note() { # note LIST WORD: add a line to a list of ours, once
    mkdir -p "$BOOKS"
    grep -qFxs "$2" "$BOOKS/$1" || printf '%s\n' "$2" >>"$BOOKS/$1"
}

noted() { [ ! -f "$BOOKS/$1" ] || cat "$BOOKS/$1"; }

keep() { # keep PATH: remember the file as it was, the first time
    local copy=$BOOKS/before$1
    [ ! -e "$ROOT$1" ] || [ -e "$copy" ] || {
        mkdir -p "$(dirname "$copy")"
        cp -p "$ROOT$1" "$copy"
    }
}

write() { # write PATH MODE <content: whole or not at all
    local target=$ROOT$1
    folder "$(dirname "$1")"
    cat >"$target.centerpiece-new"
    chmod "$2" "$target.centerpiece-new"
    sync "$target.centerpiece-new"
    mv -f "$target.centerpiece-new" "$target"
    # On the boot partition a file that was just renamed is empty until this.
    sync "$target"
}

folder() { # folder PATH: create it, and remember what had to be created
    [ ! -d "$ROOT$1" ] || return 0
    folder "$(dirname "$1")"
    mkdir "$ROOT$1"
    note folders "$1"
}

put() { # put PATH MODE <content: a file of ours
    local path=$1 mode=$2 wanted=$SCRATCH/put
    cat >"$wanted"
    if [ -f "$ROOT$path" ] && cmp -s "$wanted" "$ROOT$path" &&
        [ "$(stat -c %a "$ROOT$path")" = "$mode" ]; then
        [ -n "$DRY" ] || note files "$path"
        return
    fi
    change "write $path" || return 0
    grep -qFxs "$path" "$BOOKS/files" || keep "$path"
    note files "$path"
    write "$path" "$mode" <"$wanted"
}

# Steps

packages() {
    live || return 0
    local needed=(python3-venv openssh-client) missing wanted package
    carried || [ "$HARDWARE" != pi ] || [[ $(extras) = *pi-pio* ]] || needed+=(python3-dev gcc)
    wanted=("${needed[@]}" avahi-daemon network-manager dnsmasq-base iw espeak-ng)
    mapfile -t missing < <(not_installed "${wanted[@]}")
    [ "${#missing[@]}" -gt 0 ] || return 0
    change "install the packages ${missing[*]}" || return 0
    if { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; }; then
        for package in "${missing[@]}"; do note packages "$package"; done
    elif [ -n "$(not_installed "${needed[@]}")" ]; then
        refuse "the packages ${missing[*]} could not be installed;" \
            "check the connection to the Internet and try again"
    else
        say "note: ${missing[*]} could not be installed without the Internet; the hub plays" \
            "without. With a connection, run this once more"
    fi
}

not_installed() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            say "$package"
    done
}

extras() {
    if [ "$HARDWARE" = sim ]; then
        say hall
    elif [ "$HARDWARE" = usb ]; then
        say hall,pi
    elif [ -n "$IMAGE" ]; then
        say hall,pi,pi-ws281x,pi-pio
    elif [[ $MODEL =~ ^Raspberry\ Pi\ (5|Compute\ Module\ 5) ]]; then
        say hall,pi,pi-pio
    else
        say hall,pi,pi-ws281x
    fi
}

# The version's name is its number and the beginning of a checksum of what it consists of: the same
# program for other hardware, with other libraries, is another version.
version_name() {
    local number sum wheel
    if released; then
        wheel=$(wheel)
        number=$(basename "$wheel" | cut -d- -f2)
        sum=$({ sha256sum "$wheel" "$SOURCE"/{constraints.txt,requirements.lock} |
            cut -d' ' -f1 && extras; } | sha256sum)
    else
        number=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$SOURCE/pyproject.toml")
        sum=$({ program_files | sort -z | xargs -0 sha256sum | sed "s|$SOURCE||" && extras; } |
            sha256sum)
    fi
    [ -n "$number" ] || refuse "the version of $SOURCE cannot be told; unpack the whole archive"
    say "$number-${sum:0:8}"
}

wheel() { # the one that the checksums speak of, whatever else lies here
    say "$SOURCE/$(sed -n 's/^[0-9a-f]*  \(centerpiece-[^/]*\.whl\)$/\1/p' "$SOURCE/SHA256SUMS")"
}

program_files() {
    find "$SOURCE"/{centerpiece,hal,sim,pyproject.toml,constraints.txt,requirements.lock} \
        -type f -not -name '*.pyc' -print0
}

program() {
    local version=$1 home=$ROOT/opt/centerpiece/versions/$1
    [ ! -f "$home/complete" ] || return 0
    change "place version $version in /opt/centerpiece/versions, with $(extras)" || return 0
    BUILDING=$home
    rm -rf "$home"
    mkdir -p "$(dirname "$home")"
    { "$PYTHON" -m venv "$home" --without-pip && pip_itself; } ||
        refuse "$PYTHON cannot make a virtual environment; nothing was switched over." \
            "Install what it needs with 'sudo apt install python3-venv' and try again"
    if grep -qFx "# machine $(machine)" "$SOURCE/requirements.lock"; then
        by_hash "$home"
    else
        by_version "$home"
    fi
    # The build of an image compiles instead: emulated, this takes longer than all the rest.
    [ -n "$IMAGE" ] || compiled "$home"
    cp "$HERE/switch.sh" "$home/switch"
    chmod 755 "$home/switch"
    cp -r "$HERE" "$home/deploy"
    sync
    touch "$home/complete"
    BUILDING=""
}

# pip as Python brings it for virtual environments, only unpacked: no version needs it later.
pip_itself() {
    "$PYTHON" - "$SCRATCH/pip-itself" <<'END'
import ensurepip, pathlib, sys, zipfile
bundled = pathlib.Path(ensurepip.__file__).parent / "_bundled"
found = [*pathlib.Path("/usr/share/python-wheels").glob("pip-*.whl"), *bundled.glob("pip-*.whl")]
zipfile.ZipFile(found[0]).extractall(sys.argv[1])
END
}

# Only once, without checks of times: a version's files never change.
compiled() {
    "$1/bin/python" -m compileall -f -q --invalidation-mode unchecked-hash "$1/lib" >/dev/null || true
}

machine() { # this machine as the lock names it; a 32-bit system may have a 64-bit kernel
    "$PYTHON" -c 'import platform, sys
machine = platform.machine() if sys.maxsize > 2**32 else "32-bit"
print("python%d.%d-%s" % (*sys.version_info[:2], machine))'
}

# True if this archive has every library for this machine, so that no network is needed.
carried() { grep -qFxs "# wheels $(machine)" "$SOURCE/requirements.lock"; }

# Downloads only files in the lock, also for building.
by_hash() {
    if carried; then
        say "note: the archive has every library that is needed; no network is used"
    # A checkout is built here, and so is the driver of the pixels, which comes as source.
    elif ! released || [[ $(extras) = *pi-ws281x* ]]; then
        locked "$1" build
    fi
    locked "$1" "centerpiece,$(extras)"
    pip "$1" --no-deps --no-index --no-build-isolation "$(source_of_program)"
}

locked() { # locked HOME PART,PART…: what the lock has for these parts of pyproject.toml
    awk -v RS= -v FS='\n' -v ORS='\n\n' -v wanted="$2" '
        BEGIN { count = split(wanted, parts, ",") }
        /^# for / {
            for (i = 1; i <= count; i++)
                if (index($1 " ", " " parts[i] " ")) { print; next }
        }' "$SOURCE/requirements.lock" >"$SCRATCH/lock"
    local from=()
    ! carried || from=(--no-index --find-links "$SOURCE/wheels" --only-binary :all:)
    pip "$1" "${from[@]}" --require-hashes --no-deps --no-build-isolation --use-pep517 \
        -r "$SCRATCH/lock"
}

by_version() {
    say "note: no hashes are known for this machine ($(machine));" \
        "its libraries are pinned by their versions only"
    pip "$1" -c "$SOURCE/constraints.txt" "$(source_of_program)[$(extras)]"
}

pip() { # pip HOME ARGUMENT…: install this into a version's folder, or refuse
    local home=$1 said=$SCRATCH/pip code=0
    shift
    PYTHONPATH=${PYTHONPATH:+$PYTHONPATH:}$SCRATCH/pip-itself \
        "$home/bin/python" -P -m pip install -q --no-input --disable-pip-version-check \
        --no-compile --no-warn-script-location "$@" 2>"$said" || code=$?
    if grep -q 'DO NOT MATCH THE HASHES' "$said"; then
        refuse "$(unknown_file "$said"); nothing was switched over." \
            "Try again, if you can over another connection; if the same comes again, somebody" \
            "changed that file: do not install it, and tell those who made this release"
    fi
    cat "$said" >&2
    [ "$code" -eq 0 ] ||
        refuse "the program's libraries could not be installed; nothing was switched over." \
            "$(if carried; then say "The archive is not complete: download it again"; else
                other_machines
                say "Check the connection to the Internet and try again"
            fi)"
}

other_machines() { # an archive for other machines has nothing for this one
    local known
    known=$(sed -n 's/^# wheels //p' "$SOURCE/requirements.lock" | paste -sd ' ')
    [ -z "$known" ] || say "It has libraries for $known, and this is $(machine)."
}

unknown_file() { # which file pip found to be another one, from what it said
    awk '/==.* from / { name = $1 }
        $1 == "Expected" { expected = expected (expected ? " or " : "") $NF }
        $1 == "Got" {
            print name " is not the file that this release knows: its sha256 must be " \
                expected ", and " $NF " came"
            exit
        }' "$1"
}

source_of_program() { if released; then wheel; else copied; fi; }

copied() { # the program without whatever else lies in a checkout, which pip would write into
    local copy=$SCRATCH/program
    mkdir -p "$copy"
    cp -r "$SOURCE"/{centerpiece,hal,sim,pyproject.toml} "$copy"
    cp "$SOURCE/README.md" "$copy" 2>/dev/null || touch "$copy/README.md"
    say "$copy"
}

prefixed() { # prefixed COMMAND ARGUMENT…: useradd and its kin, below --root
    local command=$1
    shift
    if live; then "$command" "$@"; else "$command" --prefix "$ROOT" "$@"; fi
}

has() { grep -qs "^$2:" "$ROOT/etc/$1"; }

user() {
    local group
    for group in "${GROUPS_NEEDED[@]}"; do
        if ! has group "$group" && change "create the group $group"; then
            prefixed groupadd --system "$group"
            note groups "$group"
        fi
    done
    if ! has passwd centerpiece && change "create the user centerpiece"; then
        prefixed useradd --system --user-group --home-dir /var/lib/centerpiece --no-create-home \
            --shell /usr/sbin/nologin --comment "the table centerpiece" centerpiece
        note user centerpiece
    fi
    for group in "${GROUPS_NEEDED[@]}"; do
        if ! grep -qsE "^$group:.*[:,]centerpiece(,|$)" "$ROOT/etc/group" &&
            change "let centerpiece use the group $group"; then
            prefixed usermod --append --groups "$group" centerpiece
        fi
    done
}

own() { # own PATH MODE: give a path to the service's user
    local ids
    ids=$(awk -F: '$1 == "centerpiece" { print $3 ":" $4 }' "$ROOT/etc/passwd")
    chown "$ids" "$ROOT$1"
    chmod "$2" "$ROOT$1"
}

# What belongs to one version; `switch` brings a version's units along, and takes them back with it.
units() {
    local unit
    for unit in "${UNITS[@]}" "${QUIET_UNITS[@]}"; do
        put "/etc/systemd/system/$unit" 644 <"$HERE/$unit"
    done
    if released; then put "$KEYS" 644 <"$SOURCE/release-keys"; fi
    start_with_machine
}

files() {
    put /usr/local/bin/centerpiece 755 <"$HERE/command.sh"
    put /etc/default/centerpiece 644 <<END
# Which hub this is: 'pi', 'usb' or 'sim'. Written by the installer.
CENTERPIECE_HARDWARE=$HARDWARE
END
    put /etc/sysctl.d/60-centerpiece.conf 644 <"$HERE/sysctl.conf"
    put /etc/avahi/services/centerpiece.service 644 \
        < <(sed "s/@PORT@/$(port)/" "$HERE/avahi.service")
    put /etc/NetworkManager/dnsmasq-shared.d/centerpiece.conf 644 <"$HERE/dnsmasq.conf"
    put /etc/centerpiece.toml.example 644 <"$HERE/centerpiece.toml"
    if [ "$HARDWARE" = pi ]; then
        # After the system's own rules, which find out what a stick is.
        put /etc/udev/rules.d/90-centerpiece.rules 644 <"$HERE/udev.rules"
        put /etc/systemd/system.conf.d/60-centerpiece.conf 644 <"$HERE/watchdog.conf"
        plain_debian
    fi
    [ -z "$PARTITION" ] || put /etc/systemd/system/var-lib-centerpiece.mount 644 \
        < <(sed "s|@PARTITION@|$PARTITION|" "$HERE/var-lib-centerpiece.mount")
    [ -n "$DRY" ] || {
        mkdir -p "$ROOT/var/lib/centerpiece-problems" "$BOOKS"
        say "$SOUND" >"$BOOKS/sound"
    }
    if [ ! -d "$ROOT/var/lib/centerpiece" ] &&
        change "create /var/lib/centerpiece for the games"; then
        mkdir -p "$ROOT/var/lib/centerpiece"
        own /var/lib/centerpiece 700
    fi
}

# Debian's own firmware package writes the boot files anew with every kernel, from these two.
plain_debian() {
    [ -f "$ROOT/etc/default/raspi-firmware" ] || return 0
    put /etc/default/raspi-firmware-custom 644 < <(say "$BEGIN" && boot_lines && say "$END")
    [ "$SOUND" != serial ] || put /etc/default/raspi-firmware 644 \
        < <(sed 's/^#\?CONSOLES=.*/CONSOLES="tty0"/' "$ROOT/etc/default/raspi-firmware")
}

port() { # where the pages are: the config's word, or what was asked for
    local set
    set=$(sed -n 's/^port *= *\([0-9]*\).*/\1/p' "$ROOT/etc/centerpiece.toml" 2>/dev/null || true)
    say "${set:-$PORT}"
}

# Written once, with a random password for the hub's network. Then it belongs to the owner.
config() {
    [ -f "$ROOT/etc/centerpiece.toml" ] || settings
    # Also after a power cut before this line.
    [ -n "$DRY" ] || chgrp "$(id_of_group)" "$ROOT/etc/centerpiece.toml"
}

id_of_group() { awk -F: '$1 == "centerpiece" { print $4 }' "$ROOT/etc/passwd"; }

# The section of the buttons is a comment unless they are a number pad.
number_pad() {
    [ "$BUTTONS" != keys ] ||
        say 's/^# \[hardware.buttons\]/[hardware.buttons]/; s/^# driver = "gpio"/driver = "keys"/'
}

settings() {
    change "write /etc/centerpiece.toml, the settings" || return 0
    local password ssid sound="driver = \"$SOUND\""
    [ "$SOUND" != serial ] || sound="# $sound"
    password=$(random_letters 12)
    ssid=centerpiece-$(random_letters 4)
    [ -z "$OWN" ] || ssid=$(head -n 1 "$ROOT/etc/hostname")
    sed -e "s/^port = .*/port = $PORT/" \
        -e "/^\[hardware.sound\]/,\$ s/^# driver = .*/$sound/" \
        -e "s/^ssid = .*/ssid = \"$ssid\"/" \
        -e "${OWN:+s/^# open_until_set_up = .*/open_until_set_up = true/}" \
        -e "$(plain_spi)" \
        -e "$(number_pad)" \
        -e "s/^password = .*/password = \"$password\"/" "$HERE/centerpiece.toml" |
        write /etc/centerpiece.toml 640
    (cd "$ROOT/etc" && sha256sum centerpiece.toml) >"$BOOKS/config.sha256"
}

# Where the kernel is Debian's own, nothing but SPI can drive the lights.
plain_spi() {
    booted && ! compgen -G '/dev/gpiomem*' >/dev/null && [ ! -e /dev/pio0 ] || return 0
    say 's/^# \[hardware.lights\]/[hardware.lights]\nmethod = "spi"/'
}

random_letters() { # without those that look alike
    "$PYTHON" -c 'import secrets, sys
print("".join(secrets.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(int(sys.argv[1]))))' "$1"
}

boot() {
    boot_config
    boot_cmdline
}

# To be restored: the current file, with its owner's changes since last time.
keep_boot() {
    mkdir -p "$BOOKS/before$(dirname "$1")"
    cp -p "$ROOT$1" "$BOOKS/before$1"
    cat "$2" >"$BOOKS/before$1"
}

with_newline() { awk 1 "$1"; }

boot_lines() {
    cat "$HERE/boot-config.txt"
    [ "$SOUND" != alsa ] || printf '%s\n' "# the I²S amplifier; its mute pin is a button here" \
        "dtparam=audio=off" "dtoverlay=max98357a,no-sdmode"
}

without_section() { awk -v b="$BEGIN" -v e="$END" '$0 == b {off=1} !off; $0 == e {off=0}' "$1"; }

boot_config() {
    local path=/boot/firmware/config.txt section=$SCRATCH/section
    { say "$BEGIN"; boot_lines; say "$END"; } >"$section"
    if [ "$(sed -n "/^$BEGIN\$/,/^$END\$/p" "$ROOT$path")" = "$(cat "$section")" ]; then return; fi
    RESTART=yes
    change "add a section to $path:" "$(grep -v '^#' "$section" | tr -s '\n' ' ')" || return 0
    if grep -qFx "$BEGIN" "$ROOT$path"; then
        without_section "$ROOT$path" >"$SCRATCH/config.txt"
    else
        cat "$ROOT$path" >"$SCRATCH/config.txt"
    fi
    keep_boot $path "$SCRATCH/config.txt"
    { with_newline "$SCRATCH/config.txt"; cat "$section"; } |
        write $path "$(stat -c %a "$ROOT$path")"
    cp "$ROOT$path" "$BOOKS/config.txt.after"
}

CONSOLE='(^| )console=(serial0|ttyAMA0|ttyS[01])(,[0-9a-z]+)?( |$)'

boot_cmdline() {
    local path=/boot/firmware/cmdline.txt words
    [ "$SOUND" = serial ] && [[ $(cat "$ROOT$path") =~ $CONSOLE ]] || return 0
    words=$(tr ' ' '\n' <"$ROOT$path" | grep -E "$CONSOLE" | tr '\n' ' ')
    RESTART=yes
    change "take ${words% } out of $path: the sound module has that line" || return 0
    keep_boot $path "$ROOT$path"
    say "${words% }" >"$BOOKS/console"
    tr ' ' '\n' <"$ROOT$path" | grep -vE "$CONSOLE" | paste -sd ' ' |
        write $path "$(stat -c %a "$BOOKS/before$path")"
    cp "$ROOT$path" "$BOOKS/cmdline.txt.after"
}

# A name that somebody chose is kept; the one that every card comes with is not.
name() {
    local old new
    old=$(head -n 1 "$ROOT/etc/hostname" 2>/dev/null || say localhost)
    new=${NAME:-$old}
    [ "$new" != raspberrypi ] || new=centerpiece
    [ "$new" != "$old" ] || return 0
    change "name this machine $new instead of $old: its pages are at http://$new.local" || return 0
    rename "$old" "$new"
    [ -f "$BOOKS/name" ] || say "$old" >"$BOOKS/name"
    say "$new" >"$BOOKS/name.now"
}

rename() { # rename OLD NEW
    say "$2" | write /etc/hostname 644
    [ ! -f "$ROOT/etc/hosts" ] ||
        sed "s/^\(127\.0\.1\.1[[:space:]].*\)\b$1\b/\1$2/" "$ROOT/etc/hosts" | write /etc/hosts 644
    if booted; then hostnamectl set-hostname "$2" || true; fi
}

start_with_machine() {
    local unit wanted=("${UNITS[@]}")
    [ -z "$PARTITION" ] || wanted+=(var-lib-centerpiece.mount)
    [ -z "$IMAGE" ] || wanted+=(centerpiece-first.service centerpiece-machine.path centerpiece-protect.service)
    for unit in "${wanted[@]}"; do
        if ! ctl is-enabled --quiet "$unit" 2>/dev/null &&
            change "start $unit with the machine"; then
            ctl enable --quiet "$unit"
        fi
    done
    if booted && [ -z "$DRY" ] && [ "$CHANGES" -gt 0 ]; then
        systemctl daemon-reload
        { udevadm control --reload && udevadm trigger --sysname-match=pio0; } 2>/dev/null || true
        sysctl -q -p /etc/sysctl.d/60-centerpiece.conf || true
        systemctl try-reload-or-restart avahi-daemon || true
    fi
}

ctl() { if live; then systemctl "$@"; else systemctl --root="$ROOT" "$@"; fi; }

# `switch` starts the new version, and goes back if that does not work.
in_use() { basename "$(readlink "$ROOT/opt/centerpiece/current" 2>/dev/null || true)"; }

change_over() {
    local version=$1 now how=()
    now=$(in_use)
    if [ "$now" = "$version" ]; then
        if booted && [ -z "$DRY$RESTART" ]; then systemctl start centerpiece centerpiece-network; fi
        return 0
    fi
    change "switch ${now:+from $now }to $version" || return 0
    live || how+=(--root "$ROOT")
    if ! booted || [ -n "$RESTART" ]; then how+=(--after-restart); fi
    "$ROOT/opt/centerpiece/versions/$version/switch" "${how[@]}" "$version"
    if booted && [ -z "$RESTART" ]; then systemctl restart centerpiece-network || true; fi
}

# The way to the hub's own network, as codes to print; readable on the card from any computer.
sticker() {
    local target=/boot/firmware/centerpiece-sticker.svg made=$SCRATCH/sticker.svg
    [ "$HARDWARE" = pi ] && [ ! -s "$ROOT$target" ] || return 0
    change "draw $target, the sticker" || return 0
    "$ROOT/opt/centerpiece/current/bin/python" -P -m centerpiece sticker "$made" \
        --config "$ROOT/etc/centerpiece.toml" --name "$(cat "$ROOT/etc/hostname")" >/dev/null || {
        say "  (it could not be drawn; 'sudo centerpiece sticker FILE' tries again)"
        return 0
    }
    note files "$target"
    { cp "$made" "$ROOT$target.new" && sync "$ROOT$target.new" && mv -f "$ROOT$target.new" "$ROOT$target"; } || {
        rm -f "$ROOT$target.new"
        say "  (it does not fit on the drive bootfs; delete what was copied there, and try again)"
    }
    sync "$ROOT$target" || true
}

install_all() {
    judge
    packages
    local version before
    version=$(version_name)
    program "$version"
    if [ -n "$BESIDE" ]; then return; fi
    user
    files
    if [ "$HARDWARE" = pi ]; then boot; fi
    if [ -z "$IMAGE" ]; then
        config
        name
    fi
    before=$(in_use)
    [ -n "$before" ] || units
    change_over "$version"
    [ -z "$before" ] || units
    if [ -z "$IMAGE" ]; then sticker; fi
    if [ "$CHANGES" -eq 0 ]; then
        say "Nothing had to be changed."
    elif [ -n "$DRY" ]; then
        say "Nothing was changed: this was a dry run."
    elif [ -n "$RESTART" ]; then
        say "Done. Restart the Pi now: sudo reboot"
    else
        say "Done."
    fi
}

# Whatever must differ between hubs. It can be repeated after a power cut at any point.
make_own() {
    [ "$(id -u)" -eq 0 ] || refuse "this must be run as root: put 'sudo' before the command"
    if [ "$(head -n 1 "$ROOT/etc/hostname")" = raspberrypi ]; then
        NAME=centerpiece-$(random_letters 4)
    fi
    name
    config
    sticker
}

# Uninstalling

uninstall() {
    [ -n "$DRY" ] || [ "$(id -u)" -eq 0 ] ||
        refuse "this must be run as root: put 'sudo' before the command"
    if [ ! -d "$BOOKS" ]; then
        say "Nothing had to be changed: no centerpiece is installed here."
        return
    fi
    units_off
    boot_back
    name_back
    config_back
    files_back
    user_back
    program_gone
    [ -z "$DRY" ] || say "Nothing was changed: this was a dry run."
    [ -n "$DRY" ] || say "Done.${RESTART:+ Restart the Pi now: sudo reboot}"
}

units_off() {
    local unit
    for unit in "${UNITS[@]}" var-lib-centerpiece.mount; do
        [ -f "$ROOT/etc/systemd/system/$unit" ] || continue
        change "stop and disable $unit" || continue
        if booted; then systemctl stop "$unit" || true; fi
        ctl disable --quiet "$unit"
    done
    if booted && [ -z "$DRY" ]; then
        nmcli connection delete id centerpiece-own >/dev/null 2>&1 || true
    fi
}

boot_back() {
    local path before=$BOOKS/before/boot/firmware
    path=/boot/firmware/config.txt
    if [ -f "$before/config.txt" ] && change "put $path back"; then
        RESTART=yes
        if cmp -s "$ROOT$path" "$BOOKS/config.txt.after"; then
            restore $path
        else
            without_section "$ROOT$path" | write $path "$(stat -c %a "$ROOT$path")"
        fi
    fi
    path=/boot/firmware/cmdline.txt
    if [ -f "$before/cmdline.txt" ] && change "put $path back"; then
        RESTART=yes
        if cmp -s "$ROOT$path" "$BOOKS/cmdline.txt.after"; then
            restore $path
        else
            say "$(cat "$BOOKS/console") $(cat "$ROOT$path")" |
                write $path "$(stat -c %a "$ROOT$path")"
        fi
    fi
}

restore() { cp -p "$BOOKS/before$1" "$ROOT$1.centerpiece-new" && mv -f "$ROOT$1.centerpiece-new" "$ROOT$1"; }

name_back() {
    [ -f "$BOOKS/name" ] || return 0
    [ "$(cat "$ROOT/etc/hostname")" = "$(cat "$BOOKS/name.now")" ] || return 0
    change "name this machine $(cat "$BOOKS/name") again" || return 0
    rename "$(cat "$BOOKS/name.now")" "$(cat "$BOOKS/name")"
}

config_back() {
    [ -f "$ROOT/etc/centerpiece.toml" ] || return 0
    if [ -n "$PURGE" ] || (cd "$ROOT/etc" && sha256sum -c --quiet "$BOOKS/config.sha256") \
        >/dev/null 2>&1; then
        if change "remove /etc/centerpiece.toml"; then rm -f "$ROOT/etc/centerpiece.toml"; fi
    else
        say "kept: /etc/centerpiece.toml, because you changed it"
    fi
}

files_back() {
    local path
    while read -r path; do
        if [ -e "$BOOKS/before$path" ]; then
            if change "put $path back"; then restore "$path"; fi
        elif [ -e "$ROOT$path" ]; then
            if change "remove $path"; then rm -f "$ROOT$path"; fi
        fi
    done < <(noted files)
    if [ -z "$DRY" ]; then folders_back; fi
    if booted && [ -z "$DRY" ]; then systemctl daemon-reload; fi
}

folders_back() { # those that were made for our files, unless others moved in
    local path
    while read -r path; do
        rmdir "$ROOT$path" 2>/dev/null || true
    done < <(noted folders | tac)
}

user_back() {
    local games=$ROOT/var/lib/centerpiece group
    if [ -n "$PURGE" ]; then
        if change "remove /var/lib/centerpiece with all games"; then rm -rf "$games"; fi
    elif [ -d "$games" ] && [ -n "$(ls -A "$games")" ]; then
        say "kept: /var/lib/centerpiece, the games; --purge removes them"
    elif [ -d "$games" ]; then
        if change "remove /var/lib/centerpiece, which is empty"; then rmdir "$games"; fi
    fi
    if [ -n "$(noted user)" ] && change "remove the user centerpiece"; then
        prefixed userdel centerpiece
        if has group centerpiece; then prefixed groupdel centerpiece; fi
    fi
    while read -r group; do
        if change "remove the group $group"; then prefixed groupdel "$group"; fi
    done < <(noted groups)
    local added
    added=$(noted packages | paste -sd ' ')
    if [ -n "$added" ] && change "mark $added as no longer needed ('apt autoremove' removes them)"
    then
        # shellcheck disable=SC2086
        apt-mark auto $added >/dev/null || true
    fi
}

program_gone() {
    if change "remove /opt/centerpiece"; then
        rm -rf "$ROOT/opt/centerpiece" "$ROOT/var/lib/centerpiece-problems" \
            "$ROOT/run/centerpiece-switch.lock"
    fi
}

finish() {
    [ -z "$BUILDING" ] || rm -rf "$BUILDING"
    [ -z "$SCRATCH" ] || rm -rf "$SCRATCH"
}

main() {
    parse "$@"
    BOOKS=$ROOT/opt/centerpiece/installed
    as_it_was
    SCRATCH=$(mktemp -d)
    trap finish EXIT
    trap 'exit 130' INT TERM
    umask 022
    if [ -n "$UNINSTALL" ]; then uninstall; elif [ -n "$OWN" ]; then make_own; else install_all; fi
}

main "$@"
