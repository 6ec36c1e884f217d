#!/bin/sh
# Checks the types of the pages' scripts. TypeScript comes from npm, into build/typescript, and only
# checks: what is served stays as it is written.
set -eu
cd "$(dirname "$0")/.."
version=7.0.2
folder=build/typescript-$version
if ! [ -x "$folder/node_modules/.bin/tsc" ]; then
    if ! command -v npm >/dev/null; then
        echo "npm is not installed: the types of the pages' scripts are not checked"
        exit 0
    fi
    npm install --silent --no-audit --no-fund --prefix "$folder" "typescript@$version"
fi
exec "$folder/node_modules/.bin/tsc" -p centerpiece/web/tsconfig.json
