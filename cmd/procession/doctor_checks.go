package main

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/persistence"
)

// The names of the doctor's checks.
const (
	checkConfiguration = "configuration"
	checkDatabase      = "database"
	checkSchema        = "schema"
	checkDatabaseClock = "database-clock"
	checkSealKey       = "seal-key"
	checkSigningKeys   = "signing-keys"
	checkAuthorities   = "authorities"
	checkHTTPS         = "https-certificate"
	checkDocuments     = "documents"
	checkOIDC          = "oidc-issuers"
	checkFiles         = "reading-files"
	checkTemporalTLS   = "temporal-certificate"
	checkTemporalOpen  = "temporal-authorizer"
	checkTemporalKeys  = "temporal-keys"
	checkTemporalClock = "temporal-clock"
	checkNamespaces    = "namespaces"
	checkOwnWorkers    = "service-workflows"
	checkWorkers       = "workers"
	checkTokens        = "access-tokens"
)

// doctor checks what a service depends on. What one check opens, later ones use.
type doctor struct {
	config  Config
	loading error
	clock   func() time.Time

	db        *persistence.DB
	sealer    *authn.Sealer
	issuer    *authn.Issuer
	documents *blobstore.Store
	probe     *engine.Probe
	engine    *engine.Engine
}

// examinations are the checks in the order of the report.
func (d *doctor) examinations() []examination {
	schema := []string{checkDatabase, checkSchema}
	sealed := []string{checkDatabase, checkSchema, checkSealKey}
	keys := slices.Concat(sealed, []string{checkSigningKeys})
	temporal := slices.Concat(keys, []string{checkTemporalTLS})
	guarded := slices.Concat(temporal, []string{checkTemporalOpen})
	// A Temporal without an authorizer checks neither keys nor clocks; its namespaces
	// can be inspected all the same.
	trusted := slices.Concat(temporal, []string{checkTemporalKeys})
	return []examination{
		{checkConfiguration, nil, d.checkConfiguration},
		{checkDatabase, nil, d.checkDatabase},
		{checkDatabaseClock, []string{checkDatabase}, d.checkDatabaseClock},
		{checkSchema, []string{checkDatabase}, d.checkSchema},
		{checkSealKey, schema, d.checkSealKey},
		{checkSigningKeys, sealed, d.checkSigningKeys},
		{checkAuthorities, keys, d.checkAuthorities},
		{checkHTTPS, nil, d.checkHTTPS},
		{checkDocuments, nil, d.checkDocuments},
		{checkOIDC, nil, d.checkOIDC},
		{checkFiles, nil, d.checkFiles},
		{checkTemporalTLS, keys, d.checkTemporalTLS},
		{checkTemporalOpen, temporal, d.checkTemporalOpen},
		{checkTemporalKeys, guarded, d.checkTemporalKeys},
		{checkTemporalClock, slices.Concat(guarded, []string{checkTemporalKeys}), d.checkTemporalClock},
		{checkNamespaces, trusted, d.checkNamespaces},
		{checkOwnWorkers, trusted, d.checkOwnWorkers},
		{checkWorkers, schema, d.checkWorkers},
		{checkTokens, schema, d.checkTokens},
	}
}

func (d *doctor) close() {
	if d.engine != nil {
		d.engine.Close()
	}
	if d.probe != nil {
		_ = d.probe.Close()
	}
	if d.documents != nil {
		_ = d.documents.Close()
	}
	if d.db != nil {
		d.db.Close()
	}
}

// conceal takes the passwords of the configuration out of what was found, should
// an error repeat one.
func (d *doctor) conceal(findings []finding) {
	var pairs []string
	for _, secret := range slices.Concat(passwordsIn(d.config.DatabaseURL), passwordsIn(d.config.SealKeyKeeper)) {
		pairs = append(pairs, secret, redacted)
	}
	concealed := strings.NewReplacer(pairs...)
	for i, f := range findings {
		findings[i].Finding = concealed.Replace(f.Finding)
	}
}

// passwordsIn are the password of a URL, in every place that it may have, and the
// URL itself if it is none.
func passwordsIn(setting string) []string {
	if setting == "" {
		return nil
	}
	u, err := url.Parse(setting)
	if err != nil || u.Scheme == "" {
		passwords := []string{setting}
		for field := range strings.FieldsSeq(setting) {
			if name, value, found := strings.Cut(field, "="); found && strings.EqualFold(name, "password") && value != "" {
				passwords = append(passwords, strings.Trim(value, "'"))
			}
		}
		return passwords
	}
	var passwords []string
	if password, found := u.User.Password(); found && password != "" {
		passwords = append(passwords, password)
	}
	if password := u.Query().Get("password"); password != "" {
		passwords = append(passwords, password)
	}
	return passwords
}

// reason is an error in one line.
func reason(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// requirements are all settings that serve cannot do without and that are
// missing.
func (d *doctor) requirements() error {
	c := &d.config
	return errors.Join(c.requireDatabase(), c.requireSealKey(), c.requireTemporal(), c.requireDocuments(), c.requireTLSFiles())
}
