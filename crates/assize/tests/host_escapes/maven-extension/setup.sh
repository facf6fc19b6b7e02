#!/bin/sh
set -eu
lib=/usr/share/maven/lib
javac --release 8 -nowarn -proc:none -cp "$(ls $lib/*.jar | tr '\n' ':')" -d tools/classes tools/Extension.java
mkdir -p tools/classes/META-INF/sisu
echo Extension > tools/classes/META-INF/sisu/javax.inject.Named
jar --create --file tools/extension.jar -C tools/classes .
