#!/bin/sh
# Backs a registry up to a place that its Worker cannot reach: export, verify, drill, encrypt to a public key, upload. Operate a registry,
# Back up on a schedule, explains the variables.
set -eu
: "${BACKUP_CERTIFICATE:?the file of a certificate, to whose key the backup is encrypted}"
: "${BACKUP_TARGET:?where the backup goes, such as s3://backups}"
where=${BACKUP_WHERE---remote}
name=$(date -u +%Y%m%dT%H%M%SZ)
trap 'rm -rf ".backups/$name" "$name.tar.cms"' EXIT

npm run --silent registry -- export "$name" $where
npm run --silent registry -- verify "$name" $where
npm run --silent registry -- drill "$name" $where
npm run --silent registry -- verify $where
tar -C .backups -cf - "$name" |
	openssl cms -encrypt -binary -stream -aes-256-gcm -outform DER -out "$name.tar.cms" "$BACKUP_CERTIFICATE"
${BACKUP_UPLOAD:-aws s3 cp} "$name.tar.cms" "$BACKUP_TARGET/"
