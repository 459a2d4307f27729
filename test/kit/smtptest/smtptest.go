// Package smtptest contains a small SMTP server for tests.
package smtptest

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Mail is an accepted mail.
type Mail struct {
	From, To string
	Header   mail.Header
	Body     string
}

// Server is an SMTP server with STARTTLS and AUTH PLAIN. It is safe for concurrent use.
type Server struct {
	// Address is host:port of the server, RootCAs contains its authority.
	Address string
	RootCAs *x509.CertPool

	tls      *tls.Config
	mu       sync.Mutex
	mails    []Mail
	logins   []string
	answers  map[string]string
	open     bool
	accepted func(Mail)
}

// New starts a Server that is closed with the test.
func New(tb testing.TB) *Server {
	tb.Helper()
	certificate := httptest.NewUnstartedServer(http.NotFoundHandler())
	certificate.StartTLS()
	tb.Cleanup(certificate.Close)
	s := &Server{answers: map[string]string{}, RootCAs: x509.NewCertPool()}
	s.RootCAs.AddCert(certificate.Certificate())
	s.tls = &tls.Config{Certificates: certificate.TLS.Certificates, MinVersion: tls.VersionTLS12}
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	s.Address = listener.Addr().String()
	tb.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serveConnection(connection)
		}
	}()
	return s
}

// WriteCertificate writes a certificate for 127.0.0.1 and its key to files, and returns their paths and the authority.
func WriteCertificate(tb testing.TB) (certificate, key string, roots *x509.CertPool) {
	tb.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.StartTLS()
	defer server.Close()
	private, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	require.NoError(tb, err)
	roots = x509.NewCertPool()
	roots.AddCert(server.Certificate())
	dir := tb.TempDir()
	certificate, key = filepath.Join(dir, "server.pem"), filepath.Join(dir, "server-key.pem")
	for path, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: server.Certificate().Raw}, key: {Type: "PRIVATE KEY", Bytes: private},
	} {
		require.NoError(tb, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	return certificate, key, roots
}

// Answer sets the answer to a command such as RCPT or DATA, "" for the usual one.
func (s *Server) Answer(command, answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[command] = answer
}

// AcceptPlain offers no STARTTLS from now on.
func (s *Server) AcceptPlain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = true
}

// OnMail calls a function with each mail before it is accepted.
func (s *Server) OnMail(accepted func(Mail)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepted = accepted
}

// Mails returns the accepted mails.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail{}, s.mails...)
}

// Logins returns the credentials of AUTH PLAIN as user:password.
func (s *Server) Logins() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.logins...)
}

// session is a connection of a client.
type session struct {
	server   *Server
	conn     net.Conn
	reader   *bufio.Reader
	from, to string
	sealed   bool
}

func (s *Server) serveConnection(conn net.Conn) {
	c := &session{server: s, conn: conn, reader: bufio.NewReader(conn)}
	defer func() { _ = c.conn.Close() }()
	c.sendReply("220 smtptest")
	for {
		line, err := c.reader.ReadString('\n')
		if err != nil || !c.handleLine(strings.TrimRight(line, "\r\n")) {
			return
		}
	}
}

func (c *session) sendReply(line string) { _, _ = io.WriteString(c.conn, line+"\r\n") }

// handleLine carries out a command and reports whether the session continues.
func (c *session) handleLine(line string) bool {
	command, argument, _ := strings.Cut(line, " ")
	command = strings.ToUpper(command)
	c.server.mu.Lock()
	answer, plain := c.server.answers[command], c.server.open
	c.server.mu.Unlock()
	if answer != "" {
		c.sendReply(answer)
		return true
	}
	switch command {
	case "EHLO":
		if c.sealed || plain {
			c.sendReply("250-smtptest\r\n250-AUTH PLAIN\r\n250 8BITMIME")
		} else {
			c.sendReply("250-smtptest\r\n250 STARTTLS")
		}
	case "STARTTLS":
		c.sendReply("220 go ahead")
		c.conn = tls.Server(c.conn, c.server.tls)
		c.reader, c.sealed = bufio.NewReader(c.conn), true
	case "AUTH":
		c.server.acceptLogin(argument)
		c.sendReply("235 welcome")
	case "MAIL":
		c.from = addressOf(argument)
		c.sendReply("250 sender")
	case "RCPT":
		c.to = addressOf(argument)
		c.sendReply("250 recipient")
	case "DATA":
		c.sendReply("354 send")
		c.sendReply(c.receiveData())
	case "QUIT":
		c.sendReply("221 bye")
		return false
	default:
		c.sendReply("250 ok")
	}
	return true
}

func (s *Server) acceptLogin(argument string) {
	_, encoded, _ := strings.Cut(argument, " ")
	text, _ := base64.StdEncoding.DecodeString(encoded)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logins = append(s.logins, strings.ReplaceAll(strings.TrimPrefix(string(text), "\x00"), "\x00", ":"))
}

// receiveData reads a mail up to its end and returns the answer.
func (c *session) receiveData() string {
	var text strings.Builder
	for {
		line, err := c.reader.ReadString('\n')
		if err != nil {
			return "451 interrupted"
		}
		if line == ".\r\n" {
			break
		}
		text.WriteString(strings.TrimPrefix(line, "."))
	}
	message, err := mail.ReadMessage(strings.NewReader(text.String()))
	if err != nil {
		return "554 " + err.Error()
	}
	body, _ := io.ReadAll(message.Body)
	received := Mail{From: c.from, To: c.to, Header: message.Header, Body: string(body)}
	c.server.mu.Lock()
	accepted := c.server.accepted
	c.server.mu.Unlock()
	if accepted != nil {
		accepted(received)
	}
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.mails = append(c.server.mails, received)
	return "250 accepted"
}

// addressOf returns the address in <>.
func addressOf(argument string) string {
	_, rest, _ := strings.Cut(argument, "<")
	address, _, _ := strings.Cut(rest, ">")
	return address
}
