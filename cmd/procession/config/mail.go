package config

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/events/mail"
)

// Mail configures the SMTP server that accepts mails.
type Mail struct {
	SMTPAddress      string
	SMTPTLS          string
	SMTPUser         string
	SMTPPasswordFile string
	MailFrom         string
}

// bindFlags declares the flags.
func (c *Mail) bindFlags(f *pflag.FlagSet) {
	f.StringVar(&c.SMTPAddress, "smtp-address", "", "host:port of the SMTP server for mails, such as smtp.example.com:587; without it no mails are sent")
	bindChoice(f, &c.SMTPTLS, "smtp-tls", "protection of the connection to the SMTP server: starttls, which is required then, tls from the beginning, or none",
		string(mail.STARTTLS), string(mail.ImplicitTLS), string(mail.Plain))
	f.StringVar(&c.SMTPUser, "smtp-user", "", "user at the SMTP server; without one there is no authentication")
	f.StringVar(&c.SMTPPasswordFile, "smtp-password-file", "", "file with the password of --smtp-user, read for each connection")
	f.StringVar(&c.MailFrom, "mail-from", "", "sender of mails, such as Procession <procession@example.com>")
}

// checkSettings validates the settings.
func (c *Mail) checkSettings() error {
	var wrong faults
	wrong.require(c.SMTPAddress == "" || isAddress(c.SMTPAddress), "smtp-address", "must be host:port")
	wrong.require(c.SMTPUser == "" || c.SMTPPasswordFile != "", "smtp-user", "needs --smtp-password-file")
	wrong.require(c.SMTPUser == "" || c.SMTPTLS != string(mail.Plain), "smtp-user",
		"needs --smtp-tls starttls or tls: a password is not sent in plain text")
	wrong.require(c.SMTPPasswordFile == "" || c.SMTPUser != "", "smtp-password-file", "needs --smtp-user")
	wrong.require(c.SMTPAddress != "" || c.SMTPUser == "" && c.MailFrom == "", "smtp-address", "is required for mails")
	wrong.require(c.SMTPAddress == "" || c.MailFrom != "", "mail-from", "is required with --smtp-address")
	wrong.require(c.MailFrom == "" || mail.IsSender(c.MailFrom), "mail-from",
		"must be a mail address such as Procession <procession@example.com>")
	return wrong.join()
}

func (c *Mail) newClient() (*mail.Client, error) {
	return mail.New(mail.Options{
		Address: c.SMTPAddress, TLS: mail.TLSMode(c.SMTPTLS), User: c.SMTPUser, From: c.MailFrom, Password: c.readPassword,
	})
}

// readPassword returns the first line of the password file.
func (c *Mail) readPassword() (string, error) {
	text, err := os.ReadFile(c.SMTPPasswordFile)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSuffix(line, "\r"), nil
}

// MailCheck returns the check of the SMTP server, nil without one.
func (c *Mail) MailCheck() func(context.Context) error {
	if c.SMTPAddress == "" {
		return nil
	}
	return func(ctx context.Context) error {
		client, err := c.newClient()
		if err != nil {
			return err
		}
		return client.Check(ctx)
	}
}

// SendsMails reports whether mails are configured: they need --public-url, the beginning of their links.
func (c *Config) SendsMails() bool { return c.SMTPAddress != "" && c.PublicURL != "" }

// MailClient returns the client of the SMTP server, nil while SendsMails is false.
func (c *Config) MailClient() (*mail.Client, error) {
	if !c.SendsMails() {
		return nil, nil //nolint:nilnil // there are no mails
	}
	return c.newClient()
}
