package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/sandbox"
)

// certificateWarning is how long before its end a certificate is to be renewed.
const certificateWarning = 30 * 24 * time.Hour

// checkExpiry judges how long a certificate is valid still.
func (d *doctor) checkExpiry(certificate *x509.Certificate, what, advice string) Finding {
	now := d.Clock()
	left := certificate.NotAfter.Sub(now)
	until := certificate.NotAfter.UTC().Format(time.RFC3339)
	switch {
	case now.Before(certificate.NotBefore):
		return fail("check the clock of this machine", "%s is valid only from %s", what,
			certificate.NotBefore.UTC().Format(time.RFC3339))
	case left <= 0:
		return fail(advice, "%s expired at %s", what, until)
	case left < certificateWarning:
		return warn(advice, "%s expires in %s, at %s", what, domain.CountText(int(left.Hours()/24), "day", "days"), until)
	}
	return ok("%s is valid until %s", what, until)
}

// worseFinding returns the finding that matters more; the first of two that matter as much.
func worseFinding(a, b Finding) Finding {
	order := map[Verdict]int{OK: 0, Skipped: 1, Warn: 2, Fail: 3}
	if order[b.Verdict] > order[a.Verdict] {
		return b
	}
	return a
}

// checkAuthorities judges the service's authorities, and the one that Temporal's
// certificate is said to come from.
func (d *doctor) checkAuthorities(context.Context) Finding {
	own, err := certificatesIn([]byte(d.issuer.RootsPEM()))
	if err != nil {
		return fail("see the log of PostgreSQL", "the service's authority cannot be read: %s", errorText(err))
	}
	// The oldest authority, which ends first, does not matter once there is a newer one.
	found := d.checkExpiry(own[len(own)-1], "the service's authority",
		"run procession ca rotate, long before the end: workers keep the old one until they start again")
	if d.TemporalTLSCA == "" {
		return found
	}
	const advice = "renew the file of --temporal-tls-ca"
	content, err := os.ReadFile(d.TemporalTLSCA)
	if err != nil {
		return fail(advice, "%s", errorText(err))
	}
	authorities, err := certificatesIn(content)
	if err != nil {
		return fail(advice, "%s: %s", d.TemporalTLSCA, errorText(err))
	}
	for _, certificate := range authorities {
		found = worseFinding(found, d.checkExpiry(certificate, "the authority of Temporal", advice))
	}
	return found
}

// certificatesIn reads PEM, in which there is at least one certificate.
func certificatesIn(content []byte) ([]*x509.Certificate, error) {
	var certificates []*x509.Certificate
	for {
		block, rest := pem.Decode(content)
		if block == nil {
			break
		}
		content = rest
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("reading a certificate: %w", err)
		}
		certificates = append(certificates, certificate)
	}
	if len(certificates) == 0 {
		return nil, errors.New("there is no certificate in it")
	}
	return certificates, nil
}

// checkHTTPS judges the certificate of the HTTPS listener.
func (d *doctor) checkHTTPS(context.Context) Finding {
	if d.ListenTLS == "" {
		return ok("there is no HTTPS listener")
	}
	const advice = "renew the files of --tls-cert and --tls-key, and restart the service"
	pair, err := tls.LoadX509KeyPair(d.TLSCert, d.TLSKey)
	if err != nil {
		return fail(advice, "%s", errorText(err))
	}
	return d.checkExpiry(pair.Leaf, "the certificate of the HTTPS listener", advice)
}

// checkDocuments stores something where documents are kept, and removes it. A
// directory that is missing is not made: the user who runs the doctor may not be the one whom
// it has to belong to.
func (d *doctor) checkDocuments(ctx context.Context) Finding {
	const advice = "check that the store of --documents-url exists and that the service may write to it"
	if d.DocumentsURL == "" {
		return fail(advice, "--documents-url is not given")
	}
	u, err := url.Parse(d.DocumentsURL)
	if err != nil {
		return fail(advice, "--documents-url is not a URL")
	}
	if _, err := os.Stat(u.Path); u.Scheme == "file" && errors.Is(err, fs.ErrNotExist) {
		return fail("start procession serve, which creates it, or mount it", "the directory %s does not exist", u.Path)
	}
	store, err := blobstore.Open(ctx, d.DocumentsURL)
	if err != nil {
		return fail(advice, "%s", errorText(err))
	}
	d.documents = store
	if u.Scheme == "file" {
		// Opening tried to write.
		if err := store.Ready(ctx); err != nil {
			return fail(advice, "%s", errorText(err))
		}
		return ok("is writable")
	}
	key := blobstore.Key{Tenant: uuid.New(), Document: uuid.New()}
	if _, err := store.Put(ctx, key, strings.NewReader("probe"), d.MaxDocumentBytes); err != nil {
		return fail(advice, "%s", errorText(err))
	}
	if err := store.Delete(ctx, key); err != nil {
		return fail(advice, "a written blob cannot be deleted: %s", errorText(err))
	}
	return ok("is writable")
}

// checkFiles checks that uploads are read with limits of memory and time, and PDFs for AI assistance at all.
func (d *doctor) checkFiles(ctx context.Context) Finding {
	if !d.Assisted && !d.FormsAsDocuments {
		return ok("AI assistance and forms as PDF are off")
	}
	if weakness := sandbox.Weakness(); weakness != "" {
		return warn("use Linux 6.12 or newer with Landlock and seccomp, and allow both in the container", "%s", weakness)
	}
	if d.FormsAsDocuments {
		if err := d.FindTypesetter(ctx); err != nil {
			return warn("install the typesetter ("+d.InstallTypesetter+"), give its interpreter with --typst, and install fonts ("+
				d.InstallFonts+")", "forms as PDF are not available: %s", errorText(err))
		}
	}
	if !d.Assisted {
		return ok("in child processes with limits")
	}
	path, err := d.FindPDFToText()
	if err != nil {
		return warn("install poppler-utils, or give the path of pdftotext with --pdftotext",
			"PDFs are not read for AI assistance: %s", errorText(err))
	}
	return ok("in child processes with limits, PDFs with %s", path)
}
