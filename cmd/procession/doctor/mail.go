package doctor

import "context"

// checkMail connects to the SMTP server. Mails contain links that begin with --public-url, so none is sent without it.
func (d *doctor) checkMail(ctx context.Context) Finding {
	switch {
	case d.CheckMail == nil:
		return ok("no SMTP server is configured: no mails are sent")
	case d.PublicURL == "":
		return warn("set --public-url: the links in mails begin with it", "no mails are sent without --public-url")
	}
	if err := d.CheckMail(ctx); err != nil {
		return fail("check --smtp-address, --smtp-tls, --smtp-user and the password file", "the SMTP server accepts no mails: %s", errorText(err))
	}
	return ok("the SMTP server accepts connections")
}
