// Package mail sends mails to an SMTP server.
package mail

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/procession-dev/procession/internal/tlspolicy"
)

// TLSMode is the protection of the connection to the SMTP server.
type TLSMode string

// The modes.
const (
	// STARTTLS requires that the server upgrades the connection.
	STARTTLS TLSMode = "starttls"
	// ImplicitTLS begins with a TLS handshake, as port 465 does.
	ImplicitTLS TLSMode = "tls"
	// Plain sends mails without encryption, and no password.
	Plain TLSMode = "none"
)

// sendTimeout bounds a connection with its mail.
const sendTimeout = 30 * time.Second

// Options configure a Client.
type Options struct {
	// Address is host:port of the SMTP server.
	Address string
	TLS     TLSMode
	// User authenticates with the password that Password returns, "" for no authentication. Password is called for each
	// connection, so that a password file can be replaced.
	User     string
	Password func() (string, error)
	// From is the sender, such as Procession <procession@example.com>.
	From string
	// RootCAs are the authorities of the server's certificate; nil means the system's.
	RootCAs *x509.CertPool
}

// Message is a mail to one recipient. ID is constant over attempts: it becomes the Message-ID.
type Message struct {
	ID            string
	To            string
	Subject, Text string
	// HTML is an alternative of the text, "" for none.
	HTML string
	Date time.Time
	// Unsubscribe is the address that ends such mails by a POST without a sign-in (RFC 8058), "" for none.
	Unsubscribe string
}

// Client sends mails, each on a connection of its own. It is safe for concurrent use.
type Client struct {
	o      Options
	host   string
	port   int
	domain string
}

// New returns a Client, or an error for invalid options.
func New(o Options) (*Client, error) {
	host, number, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("the address of the SMTP server must be host:port: %w", err)
	}
	port, err := strconv.Atoi(number)
	if err != nil || host == "" || port < 1 || port > 65535 {
		return nil, errors.New("the address of the SMTP server must be host:port")
	}
	if !IsSender(o.From) {
		return nil, errors.New("the sender must be a mail address")
	}
	address := strings.TrimSuffix(o.From, ">")
	return &Client{o: o, host: host, port: port, domain: address[strings.LastIndexByte(address, '@')+1:]}, nil
}

// IsSender reports whether a text is a mail address, with or without a name.
func IsSender(text string) bool { return gomail.NewMsg().From(text) == nil }

// PermanentError reports that the server refused a mail and will not accept it later.
type PermanentError struct{ cause error }

// Permanent returns an error that no further attempt avoids.
func Permanent(cause error) error { return &PermanentError{cause: cause} }

// Error implements error.
func (e *PermanentError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *PermanentError) Unwrap() error { return e.cause }

// Send sends a mail. It returns nil once the server has accepted the mail, and a PermanentError if the server refuses the
// recipient or the content for good. Errors contain no password.
func (c *Client) Send(ctx context.Context, m Message) error {
	mail, err := c.newMail(m)
	if err != nil {
		return Permanent(err)
	}
	client, err := c.newConnection()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if err := client.DialWithContext(ctx); err != nil {
		return fmt.Errorf("connecting to the SMTP server: %w", err)
	}
	defer func() { _ = client.Close() }()
	if err := client.Send(mail); err != nil {
		return classifyError(err)
	}
	return nil
}

// Check connects to the server, negotiates TLS and authenticates, without a mail.
func (c *Client) Check(ctx context.Context) error {
	client, err := c.newConnection()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if err := client.DialWithContext(ctx); err != nil {
		return fmt.Errorf("connecting to the SMTP server: %w", err)
	}
	if err := client.Close(); err != nil {
		return fmt.Errorf("ending the connection to the SMTP server: %w", err)
	}
	return nil
}

// newConnection returns a client for one connection.
func (c *Client) newConnection() (*gomail.Client, error) {
	tls := tlspolicy.New()
	tls.ServerName, tls.RootCAs = c.host, c.o.RootCAs
	options := []gomail.Option{gomail.WithPort(c.port), gomail.WithTimeout(sendTimeout), gomail.WithTLSConfig(tls)}
	switch c.o.TLS {
	case ImplicitTLS:
		options = append(options, gomail.WithSSL())
	case Plain:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case STARTTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if c.o.User != "" {
		password, err := c.o.Password()
		if err != nil {
			return nil, fmt.Errorf("reading the SMTP password: %w", err)
		}
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(c.o.User),
			gomail.WithPassword(password))
	}
	client, err := gomail.NewClient(c.host, options...)
	if err != nil {
		return nil, fmt.Errorf("preparing the connection to the SMTP server: %w", err)
	}
	return client, nil
}

// newMail returns the mail of a message.
func (c *Client) newMail(m Message) (*gomail.Msg, error) {
	mail := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := mail.From(c.o.From); err != nil {
		return nil, fmt.Errorf("the sender is not a mail address: %w", err)
	}
	if err := mail.To(m.To); err != nil {
		return nil, fmt.Errorf("the recipient is not a mail address: %w", err)
	}
	mail.Subject(strings.Join(strings.Fields(m.Subject), " "))
	mail.SetMessageIDWithValue(m.ID + "@" + c.domain)
	mail.SetDateWithValue(m.Date)
	// RFC 3834: no vacation notices in return.
	mail.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.Unsubscribe != "" {
		mail.SetGenHeader("List-Unsubscribe", "<"+m.Unsubscribe+">")
		mail.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	mail.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		mail.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	return mail, nil
}

// classifyError returns a PermanentError for an answer of the class 5 to the recipient, the sender or the content.
func classifyError(err error) error {
	err = fmt.Errorf("sending the mail: %w", err)
	var sent *gomail.SendError
	if errors.As(err, &sent) {
		const firstPermanent = 500
		if !sent.IsTemp() && sent.ErrorCode() >= firstPermanent {
			return Permanent(err)
		}
		return err
	}
	var answer *textproto.Error
	if errors.As(err, &answer) && answer.Code >= 500 {
		return Permanent(err)
	}
	return err
}
