# Functions that unpack binary and source packages of Debian below $root without installing them.

# unpack PACKAGE: unpacks the package into $root/unpacked/PACKAGE.
unpack() {
    local package=$1 target=$root/unpacked/$1 archive
    [ ! -d "$target" ] || return 0
    archive=$(find "$root/packages" -name "${package}_*.deb" | sort -V | tail -1)
    if [ -z "$archive" ]; then
        echo "fetching $package"
        # As root, apt would download as another user, who cannot write here.
        (cd "$root/packages" && apt-get download -qq -o APT::Sandbox::User=root "$package") ||
            return 1
        archive=$(find "$root/packages" -name "${package}_*.deb" | sort -V | tail -1)
    fi
    rm -rf "$target.part"
    dpkg-deb --extract "$archive" "$target.part" && mv "$target.part" "$target"
}

# unpack_source PACKAGE: unpacks the upstream source into $root/source/PACKAGE.
unpack_source() {
    local package=$1 target=$root/source/$1 archive
    [ ! -d "$target" ] || return 0
    list_sources || return 1
    echo "fetching the source of $package"
    (cd "$root/packages" && apt-get "${source_options[@]}" source --download-only "$package") ||
        return 1
    archive=$(find "$root/packages" -name "${package}_*.orig.tar.*" ! -name '*.asc' | tail -1)
    rm -rf "$target.part"
    mkdir "$target.part"
    tar -xf "$archive" -C "$target.part" --strip-components=1 && mv "$target.part" "$target"
}

# Creates a separate list of source packages, so that the system's own does not change. It uses the
# system's source of binary packages.
list_sources() {
    local apt=$root/packages/apt archive
    source_options=(-qq -o APT::Sandbox::User=root -o Dir::Etc::SourceParts=-
        -o "Dir::Etc::SourceList=$apt/sources.list" -o "Dir::State::Lists=$apt/lists"
        -o "Dir::Cache=$apt/cache")
    [ ! -d "$apt/lists" ] || return 0
    archive=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Created-By: Packages' | grep -m 1 -E ' (bookworm|stable|oldstable) main$')
    if [ -z "$archive" ]; then
        echo 'sources: apt has no list of Debian 12: run apt-get update' >&2
        return 1
    fi
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive" \
        >"$apt/sources.list"
    # Incomplete lists would be mistaken for complete ones later.
    apt-get "${source_options[@]}" update || { rm -rf "$apt" && return 1; }
}

# largest_file FOLDER PATTERN: prints the path of the largest file whose name matches.
largest_file() {
    local file
    file=$(find "$1" -name "$2" -type f -printf '%s %p\n' | sort -n | tail -1 | cut -d' ' -f2-)
    [ -n "$file" ] && printf '%s\n' "$file"
}
