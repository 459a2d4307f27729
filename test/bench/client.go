package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/procession-dev/procession/devstack/demo"
)

const (
	base           = "/v2024-06-14"
	requestTimeout = 2 * time.Minute
	errorExcerpt   = 300
)

// conn is one kept-alive connection to the service. It writes requests by hand:
// a cheap client leaves more of the machine to the service. It is not safe for concurrent use.
type conn struct {
	net.Conn
	// header says who sends the requests.
	header  string
	reader  *bufio.Reader
	request []byte
	answer  bytes.Buffer
}

// dial connects to the service, or to one of its replicas by turns, as a user of the demo data, or as an application
// when it has no e-mail address.
func (s *stack) dial(ctx context.Context, who demo.Account) (*conn, error) {
	address := s.address
	if turn := s.dialled.Add(1) % uint64(len(s.replicas)+1); turn > 0 {
		address = s.replicas[turn-1].address
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connecting to the service: %w", err)
	}
	token := who.Secret
	if who.Email == "" {
		token = base64.StdEncoding.EncodeToString([]byte(who.ID.String() + ":" + who.Secret))
	}
	return &conn{Conn: c, header: "Authorization: Bearer " + token, reader: bufio.NewReader(c)}, nil
}

// callAPI sends a request to a path of the REST API and returns the body of the answer,
// valid until the next request. An answer with another status than want is an error.
func (c *conn) callAPI(method, path, body string, want int) ([]byte, error) {
	return c.sendRequest(method, base+path, body, want)
}

// sendRequest is do for any path.
func (c *conn) sendRequest(method, path, body string, want int) ([]byte, error) {
	r := append(c.request[:0], method+" "+path+" HTTP/1.1\r\nHost: procession\r\n"+c.header...)
	if body != "" {
		r = append(r, "\r\nContent-Type: application/json"...)
	}
	r = append(r, "\r\nContent-Length: "...)
	r = strconv.AppendInt(r, int64(len(body)), 10)
	r = append(append(r, "\r\n\r\n"...), body...)
	c.request = r
	if err := c.SetDeadline(time.Now().Add(requestTimeout)); err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if _, err := c.Write(r); err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	answer, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer answer.Body.Close()
	c.answer.Reset()
	if _, err := c.answer.ReadFrom(answer.Body); err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if answer.StatusCode != want {
		excerpt := c.answer.Bytes()
		return nil, fmt.Errorf("%s %s: answered %d, not %d: %s", method, path, answer.StatusCode, want,
			excerpt[:min(len(excerpt), errorExcerpt)])
	}
	return c.answer.Bytes(), nil
}

// callExpecting is do for callers that need only the status.
func (c *conn) callExpecting(method, path, body string, want int) error {
	_, err := c.callAPI(method, path, body, want)
	return err
}
