/// The script that uploads symbols from a Mac: the text of `Scripts/upload-symbols`.
enum UploadScript {
    /// The placeholder for the service's address.
    private static let placeholder = "@SERVER@"

    /// - Parameter server: The address of the service, or an empty string if it is not known. Must
    ///   contain only characters that need no quotes in a shell.
    static func text(server: String) -> String {
        text.replacing(placeholder, with: server, maxReplacements: 1)
    }

    // swift-format-ignore
    static let text = ##"""
#!/bin/sh
# Uploads the symbols of a build to a Symbolist service:
#
#   curl -fsSO https://symbols.example.com/upload.sh && SYMBOLIST_TOKEN=… sh upload.sh [PATH…]
#
# Needs sh, curl, find, tar, od, sed and tr. With dwarfdump or llvm-dwarfdump it sends only what the service
# lacks. The service hands this script out with its own address in place of the one below.

default_server='@SERVER@'

newline='
'
# These characters do not occur in JSON, and replace its escapes while it is read.
escaped_backslash=$(printf '\001')
escaped_quote=$(printf '\002')

usage() {
    cat <<'END'
USAGE: upload.sh [PATH…] [--app ID --version V --build B] [--all] [--wait[=S]] [--require]
                 [--soft-fail] [--dry-run] [--retries N]

  PATH         dSYMs, archives, an .xcarchive, or folders of them. Default: what the CI built.
  --app, --version, --build
               The build, if the .xcarchive or the variables of the CI do not name it.
  --all        Send all files, without asking what is missing.
  --wait[=S]   Return when the symbols can be used, after at most S seconds (default 30).
  --require    Fail if an image of the build has no symbols on the service.
  --soft-fail  Exit with 0 after a failure, with a warning.
  --dry-run    Show what would be sent.
  --retries N  How often a failed request is repeated (default 5).

The token is read from SYMBOLIST_TOKEN or from the file SYMBOLIST_TOKEN_FILE, the address of the service
from SYMBOLIST_SERVER.

Exit codes: 0 all symbols are on the service, 1 a file was rejected or a required image has no symbols,
2 wrong usage, 3 no symbols in the paths, 4 the service refused or is unreachable.
END
}

say() { printf '%s\n' "$*"; }

problem() {
    if [ "${GITHUB_ACTIONS:-}" = true ]; then say "::warning::$*"; else say "$*" >&2; fi
}

# Ends the script with a status, or with 0 and the same message with --soft-fail.
end() {
    if [ "$soft_fail" = 1 ]; then exit 0; fi
    exit "$1"
}

fail() {
    status=$1
    shift
    problem "$*"
    end "$status"
}

# Fails with --soft-fail as well: no run with these arguments can succeed.
wrong_usage() {
    problem "$*"
    exit 2
}

# shellcheck disable=SC2317 # Called by a trap.
clean_up() {
    [ -z "$sender" ] || kill "$sender" 2>/dev/null
    [ -z "$folder" ] || rm -rf "$folder"
}

# Every byte of a text as %XX.
encoded() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n\t' | sed 's/../%&/g'; }

# The strings of a key in lines of JSON.
json_strings() {
    sed -n -e "s/\\\\\\\\/$escaped_backslash/g" -e "s/\\\\\"/$escaped_quote/g" \
        -e "/\"$1\" *: *\"/!d" -e "s/.*\"$1\" *: *\"\([^\"]*\)\".*/\1/" \
        -e "s/$escaped_quote/\"/g" -e "s/$escaped_backslash/\\\\/g" -e p
}

# The string of a key in a property list, which may be binary on a Mac.
plist_value() {
    { plutil -convert xml1 -o - "$2" 2>/dev/null || cat "$2"; } | tr -d '\n\r' |
        sed -n "s/.*<key>$1<\/key>[^<]*<string>\([^<]*\)<\/string>.*/\1/p"
}

# Names the build: options, else an Info.plist, else variables of the CI.
name_build() {
    for plist in "$@"; do
        for candidate in "$plist/Info.plist" "$(dirname "$plist")/Info.plist" \
            "$(dirname "$plist")/../Info.plist"; do
            [ -f "$candidate" ] || continue
            : "${app:=$(plist_value CFBundleIdentifier "$candidate")}"
            : "${version:=$(plist_value CFBundleShortVersionString "$candidate")}"
            : "${build:=$(plist_value CFBundleVersion "$candidate")}"
            [ -z "$app" ] || break 2
        done
    done
    : "${app:=${PRODUCT_BUNDLE_IDENTIFIER:-${CI_BUNDLE_ID:-}}}"
    : "${version:=${MARKETING_VERSION:-}}"
    : "${build:=${CURRENT_PROJECT_VERSION:-${CI_BUILD_NUMBER:-}}}"
    if [ -z "$app" ] || [ -z "$version" ] || [ -z "$build" ]; then
        fail 2 'build: app, version or build missing: set --app, --version and --build'
    fi
    query="app=$(encoded "$app")&version=$(encoded "$version")&build=$(encoded "$build")"
}

# Sends a request with the token, which is in no argument and in no trace of the shell.
request() {
    rm -f "$folder/reply" "$folder/headers"
    code=$(
        curl --silent --show-error --config - --output "$folder/reply" \
            --dump-header "$folder/headers" --write-out '%{http_code}' "$@" 2>"$folder/error" <<END
header = "$scheme${SYMBOLIST_TOKEN:-}"
END
    ) || code=000
}

# The sentence of an error, of the service or of curl.
reason() {
    if [ "$code" != 000 ]; then
        json_strings message 2>/dev/null <"$folder/reply"
    else
        sed -n '1s/^curl: ([0-9]*) //p' "$folder/error"
    fi
}

# Whether to repeat the last request, after a pause.
again() {
    case $code in
        000 | 408 | 429 | 5??) ;;
        *) return 1 ;;
    esac
    [ "$attempt" -lt "$retries" ] || return 1
    pause=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9][0-9]*\).*/\1/p' "$folder/headers" 2>/dev/null)
    [ -n "$pause" ] || pause=$((1 << attempt))
    [ "$pause" -le 60 ] || pause=60
    attempt=$((attempt + 1))
    say "service: $(reason) ($code): retrying in $pause s" >&2
    sleep "$pause"
}

refused() { fail 4 "$server: $(reason) ($code)"; }

# Writes the UUIDs of images in a list of "UUID file" that the service lacks into the file "missing".
ask() {
    sed 's/ .*//' "$1" | sort -u | sed 's/.*/"&"/' | tr '\n' ',' | sed 's/,$//' >"$folder/uuids"
    printf '{"uuids":[%s]}' "$(cat "$folder/uuids")" >"$folder/question"
    attempt=0
    while :; do
        request --max-time 60 --header 'Content-Type: application/json' \
            --data-binary "@$folder/question" "$server/v1/symbols/missing?$query"
        case $code in 2??) break ;; esac
        again || refused
    done
    tr ",[]" "\n" <"$folder/reply" | sed -n 's/^ *"\([0-9A-Fa-f-]*\)".*/\1/p' >"$folder/missing"
}

# Prints the row of a file, and notes a rejection.
print_row() {
    row=$(printf '%-9s %s %s' "$1" "${2:--}" "${3##*/}")${4:+: $4}
    if [ "$1" = rejected ]; then rejected=1; fi
    if [ "$1" = rejected ] && [ "${GITHUB_ACTIONS:-}" = true ]; then problem "$row"; else say "$row"; fi
}

# Finds the files of a path that may have symbols, and those with a name that a list of lines cannot hold. Follows
# the path itself if it is a link.
find_files() {
    set -- "$1" -type f
    if [ ! -f "$1" ]; then
        set -- "$1" \( -type f -o -type l \) \( -path '*/Contents/Resources/DWARF/*' -o -name '*.bcsymbolmap' \
            -o -path '*.dSYM/Contents/Resources/*.plist' -o -name '*.dSYM.zip' -o -name '*.debug' \)
    fi
    find -H "$@" ! -path "*$newline*" >>"$folder/found" 2>>"$folder/find-error"
    find -H "$@" -path "*$newline*" -print0 2>/dev/null | tr '\n\000' '?\n' >>"$folder/unlisted"
}

# Writes the files of a path that can be sent into the list "files", and reports the others.
list_files() {
    for list in files found find-error unlisted; do : >"$folder/$list"; done
    find_files "$1"
    # No link in a linked dSYM is followed, so there are no loops.
    find -H "$1" -type l -name '*.dSYM' ! -path "*$newline*" >"$folder/links" 2>/dev/null
    while IFS= read -r link; do find_files "$link"; done <"$folder/links"
    if [ -s "$folder/found" ] || [ -s "$folder/unlisted" ]; then found=1; fi
    while IFS= read -r file; do
        [ ! -d "$file" ] || continue
        if [ -r "$file" ]; then
            printf '%s\n' "$file" >>"$folder/files"
        else
            print_row rejected '' "$file" 'cannot be read'
        fi
    done <"$folder/found"
    while IFS= read -r file; do
        print_row rejected '' "$file" 'line break in the path: rename it'
    done <"$folder/unlisted"
    report_errors "$folder/find-error"
}

# Reports the lines in which a tool names what it could not read.
report_errors() {
    while IFS= read -r line; do
        rejected=1
        problem "$line"
    done <"$1"
}

# Writes "UUID file" for each slice of the files of a list. A file without any is sent in any case.
find_uuids() {
    : >"$folder/images"
    [ -n "$dwarfdump" ] || return 0
    while IFS= read -r file; do
        case $file in *.plist | *.bcsymbolmap | *.zip) continue ;; esac
        "$dwarfdump" --uuid "$file" 2>/dev/null | sed -n 's/^UUID: \([0-9A-Fa-f-]*\) .*/\1/p' |
            while IFS= read -r uuid; do printf '%s %s\n' "$uuid" "$file"; done
    done <"$1" >>"$folder/images"
}

# Writes the files to send into the list "send".
choose() {
    cp "$folder/files" "$folder/send"
    if [ "$all" = 1 ] || [ ! -s "$folder/images" ]; then return 0; fi
    ask "$folder/images"
    : >"$folder/send"
    while IFS= read -r file; do
        isKnown=0 isMissing=0
        while read -r uuid named; do
            [ "$named" = "$file" ] || continue
            isKnown=1
            if grep -qix "$uuid" "$folder/missing"; then isMissing=1; fi
        done <"$folder/images"
        if [ "$isKnown" = 0 ] || [ "$isMissing" = 1 ]; then printf '%s\n' "$file"; fi
    done <"$folder/files" >"$folder/send"
    # Maps and property lists are of use only beside a dSYM.
    if ! grep -qv -e '\.bcsymbolmap$' -e '\.plist$' "$folder/send"; then : >"$folder/send"; fi
}

# Prints a row for each file of a reply.
report() {
    sed 's/},{/}\
{/g' "$folder/reply" >"$folder/rows"
    printf '\n' >>"$folder/rows"
    while IFS= read -r row; do
        status=$(printf '%s\n' "$row" | json_strings status)
        [ -n "$status" ] || continue
        print_row "$status" "$(printf '%s\n' "$row" | json_strings uuid)" \
            "$(printf '%s\n' "$row" | json_strings name)" "$(printf '%s\n' "$row" | json_strings reason)"
    done <"$folder/rows"
}

# Sends the chosen files as an archive that is packed while it is sent.
send() {
    # GNU tar would read a backslash in a name as an escape.
    unquoted=''
    if tar --no-unquote --version >/dev/null 2>&1; then unquoted=1; fi
    tar ${unquoted:+--no-unquote} -h -czf - -T "$folder/send" >"$folder/pipe" 2>"$folder/tar-error" &
    sender=$!
    request --request POST --header 'Content-Type: application/gzip' \
        --header 'Expect:' --upload-file "$folder/pipe" "$server/v1/symbols?$query"
    # An archive that was sent has an end, and its status counts.
    case $code in 2??) ;; *) kill "$sender" 2>/dev/null ;; esac
    wait "$sender" 2>/dev/null
    tar_status=$?
    sender=
}

# Sends the files of one path. After a failure asks again, and sends what is missing then.
send_path() {
    case $1 in /*) path=$1 ;; *) path=./$1 ;; esac
    while [ "$path" != / ] && [ "${path%/}" != "$path" ]; do path=${path%/}; done
    here=$(pwd)
    cd "$(dirname "$path")" || fail 3 "$1: cannot be opened"
    list_files "./$(basename "$path")"
    if [ -s "$folder/files" ]; then send_files "$1"; fi
    cd "$here" || fail 1 "$here: cannot be opened"
}

send_files() {
    find_uuids "$folder/files"
    cat "$folder/images" >>"$folder/every-image"
    send_attempt=0
    while :; do
        choose
        if [ ! -s "$folder/send" ]; then
            say "$1: everything is on the service"
            return
        fi
        if [ "$dry_run" = 1 ]; then
            sed "s|^\./|would send |" "$folder/send"
            return
        fi
        send
        case $code in 2??) break ;; esac
        attempt=$send_attempt
        again || refused
        send_attempt=$attempt
    done
    report
    [ "$tar_status" != 0 ] || return 0
    [ -s "$folder/tar-error" ] || say "tar: failed ($tar_status)" >"$folder/tar-error"
    report_errors "$folder/tar-error"
}

# Names the images in the file "missing".
report_missing() {
    while IFS= read -r uuid; do
        problem "missing   $uuid $(sed -n "s|^$uuid .*/||p" "$folder/every-image" | sed 1q)"
    done <"$folder/missing"
}

# Waits until the service lacks none of the images, or the time is over.
wait_for_images() {
    if [ -z "$dwarfdump" ]; then
        problem '--wait: dwarfdump and llvm-dwarfdump are missing: not waiting'
    fi
    [ -s "$folder/every-image" ] || return 0
    left=$wait_seconds
    while :; do
        ask "$folder/every-image"
        if [ ! -s "$folder/missing" ] || [ "$left" -le 0 ]; then break; fi
        left=$((left - 2))
        sleep 2
    done
    # --require names them too.
    if [ "$require" = 1 ] || [ ! -s "$folder/missing" ]; then return 0; fi
    report_missing
    problem "--wait: not indexed after $wait_seconds s: the service continues"
}

# Fails if an image of the product, or of the sent files, has no symbols on the service.
check_required() {
    for path in "$@"; do
        [ -d "$path/Products" ] || continue
        find "$path/Products" -type f \( -perm -u+x -o -name '*.dylib' \) >"$folder/products"
        find_uuids "$folder/products"
        cat "$folder/images" >>"$folder/every-image"
    done
    [ -n "$dwarfdump" ] || fail 1 '--require: dwarfdump and llvm-dwarfdump are missing: install one'
    [ -s "$folder/every-image" ] || return 0
    ask "$folder/every-image"
    [ -s "$folder/missing" ] || return 0
    report_missing
    end 1
}

# The paths that a CI or a build phase names.
default_path() {
    for path in "${CI_ARCHIVE_PATH:-}" "${DWARF_DSYM_FOLDER_PATH:-}" "${ARCHIVE_PATH:-}" \
        ./*.xcarchive ./build; do
        if [ -n "$path" ] && [ -e "$path" ]; then
            printf '%s\n' "$path"
            return
        fi
    done
}

number() {
    case $2 in '' | *[!0-9]*) wrong_usage "$1: '$2' is not a number" ;; esac
}

option_value() {
    [ "$2" -ge 2 ] || wrong_usage "$1: missing value"
}

# Reads the token from its file.
read_token() {
    if [ -z "${SYMBOLIST_TOKEN:+set}" ] && [ -n "${SYMBOLIST_TOKEN_FILE:-}" ]; then
        { set +x; } 2>/dev/null
        SYMBOLIST_TOKEN=$(cat "$SYMBOLIST_TOKEN_FILE" 2>/dev/null) ||
            fail 2 "$SYMBOLIST_TOKEN_FILE: cannot be read"
    fi
    # Without a token the header is empty, and not sent.
    scheme=${SYMBOLIST_TOKEN:+Authorization: Bearer }
}

# Refuses several archives: each names its own build.
check_archives() {
    if [ -n "$app" ] && [ -n "$version" ] && [ -n "$build" ]; then return 0; fi
    archives=0
    for path in "$@"; do
        case ${path%/} in *.xcarchive) archives=$((archives + 1)) ;; esac
    done
    [ "$archives" -lt 2 ] ||
        fail 2 'paths: several archives: upload each on its own, or set --app, --version and --build'
}

run() {
    [ -n "$server" ] || fail 2 'service: address unknown: set SYMBOLIST_SERVER'
    read_token
    if [ "$#" = 0 ]; then
        chosen=$(default_path)
        [ -n "$chosen" ] || fail 3 'paths: none given, and no archive found: name the dSYMs'
        say "uploading $chosen"
        set -- "$chosen"
    fi
    for path in "$@"; do
        [ -e "$path" ] || fail 3 "$path: not found: check the path"
    done
    check_archives "$@"
    name_build "$@"
    folder=$(mktemp -d) || fail 1 'no temporary folder'
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    mkfifo "$folder/pipe" || fail 1 "$folder: no pipe can be made"
    : >"$folder/every-image"
    for path in "$@"; do send_path "$path"; done
    [ "$found" = 1 ] || fail 3 "$1: no symbols: is this a build with debug information?"
    if [ "$dry_run" = 1 ]; then end "$rejected"; fi
    if [ -n "$wait_seconds" ]; then wait_for_images; fi
    if [ "$require" = 1 ]; then check_required "$@"; fi
    if [ "$rejected" = 1 ]; then end 1; fi
    exit 0
}

# Splits options from paths, which stay in the order in which they are given.
main() {
    app='' version='' build='' all=0 require=0 soft_fail=0 dry_run=0 wait_seconds='' retries=5
    folder='' sender='' scheme='' found=0 rejected=0
    server=${SYMBOLIST_SERVER:-$default_server}
    server=${server%/}
    for dwarfdump in dwarfdump llvm-dwarfdump ''; do
        if [ -z "$dwarfdump" ] || "$dwarfdump" --help 2>/dev/null | grep -q -e '--uuid'; then break; fi
    done
    count=$#
    while [ "$count" -gt 0 ]; do
        case $1 in
            --app | --version | --build | --retries)
                option_value "$1" "$count"
                case $1 in
                    --app) app=$2 ;;
                    --version) version=$2 ;;
                    --build) build=$2 ;;
                    *) number "$1" "$2" && retries=$2 ;;
                esac
                shift
                count=$((count - 1))
                ;;
            --all) all=1 ;;
            --wait) wait_seconds=30 ;;
            --wait=*)
                wait_seconds=${1#--wait=}
                number --wait "$wait_seconds"
                ;;
            --require) require=1 ;;
            --soft-fail) soft_fail=1 ;;
            --dry-run) dry_run=1 ;;
            --help | -h)
                usage
                exit 0
                ;;
            -?*) wrong_usage "$1: unknown option: see --help" ;;
            *) set -- "$@" "$1" ;;
        esac
        shift
        count=$((count - 1))
    done
    run "$@"
}

main "$@"

"""##
}
