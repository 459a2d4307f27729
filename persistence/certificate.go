package persistence

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	recordCertificate = `
WITH put AS (
    INSERT INTO installation_certificates AS c (name, expires_at, recorded_days)
    VALUES ($1, $2, nullif($3::int, 0))
        ON CONFLICT (name, expires_at) DO UPDATE
       SET recorded_days = excluded.recorded_days
     WHERE excluded.recorded_days < coalesce(c.recorded_days, 1000000)
    RETURNING (xmax = 0) AS inserted
), recorded AS (
    SELECT CASE WHEN $3 > 0 THEN $4
                WHEN p.inserted AND EXISTS (SELECT 1 FROM installation_certificates o
                                             WHERE o.name = $1 AND o.expires_at < $2 AND o.recorded_days IS NOT NULL) THEN $5 END AS type
      FROM put p
)` + insertIntoEvents + `
SELECT gen_random_uuid(), t.id, r.type, $6, md5('certificate/' || $1)::uuid,
       json_build_object('certificate', $1, 'expiresAt', to_char($2::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
       $7::uuid, NULL, $8
  FROM recorded r
 CROSS JOIN tenants t
 WHERE r.type IS NOT NULL`

	forgetCertificates = `
DELETE FROM installation_certificates
 WHERE expires_at < $1`
)

// RecordCertificate records CERTIFICATE.EXPIRING in every tenant, once for each certificate and threshold of
// domain.Certificate.DaysLeft, and CERTIFICATE.RENEWED for a successor.
func (db *DB) RecordCertificate(ctx context.Context, c domain.Certificate, now time.Time) error {
	err := db.Send(ctx, []pg.Query{
		pg.Q(recordCertificate, []any{
			c.Name, c.ExpiresAt, c.DaysLeft(now), domain.EventCertificateExpiring, domain.EventCertificateRenewed,
			domain.ResourceCertificate, domain.SystemPrincipalID(), now,
		}, pg.None),
		pg.Q(forgetCertificates, []any{now.Add(-domain.CertificateMemory)}, pg.None),
	})
	return pg.Translate("recording a certificate", err)
}
