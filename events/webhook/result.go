package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

// Failure is the kind of a failed attempt.
type Failure string

// The failures.
const (
	// FailureTimeout means that the receiver did not answer in time.
	FailureTimeout Failure = "TIMEOUT"
	// FailureRefused means that the policy refuses the URL or the current address of
	// its host. No request was sent.
	FailureRefused Failure = "REFUSED"
	// FailureTLS means that the receiver has no valid certificate or does not speak
	// TLS.
	FailureTLS Failure = "TLS"
	// FailureConnection means that there was no connection or no valid answer.
	FailureConnection Failure = "CONNECTION"
	// FailureStatus means that the status of the answer was not one of 200 to 299.
	FailureStatus Failure = "STATUS"
)

// Result is the outcome of an attempt.
type Result struct {
	// Status is the status of the answer, 0 when there was none.
	Status int
	// Latency is the time until the answer began, or until the attempt had failed.
	Latency time.Duration
	// Failure is "" when the event was delivered.
	Failure Failure
	// Detail describes in one line why an attempt failed.
	Detail string
	// RetryAfter is the delay that the receiver requests, or 0.
	RetryAfter time.Duration
	// Answer is the beginning of the body of the answer: at most 20,000 bytes of
	// UTF-8 without NUL, in which invalid bytes are replaced.
	Answer string
}

// Delivered reports whether the receiver accepted the event.
func (r Result) Delivered() bool { return r.Status >= 200 && r.Status <= 299 }

// Gone reports whether the receiver rejects all further events.
func (r Result) Gone() bool { return r.Status == http.StatusGone }

func statusDetail(status int) string {
	if status >= 300 && status <= 399 {
		return fmt.Sprintf("the receiver answered %d, and redirects are not followed", status)
	}
	return fmt.Sprintf("the receiver answered %d", status)
}

// classifyFailure classifies an error of the transport. The result does not quote the
// cause, which may contain addresses, also of this network's name servers, and texts of
// a receiver's certificate.
func classifyFailure(err error, expired bool) Result {
	var refusedErr *RefusedError
	var handshake *handshakeError
	switch {
	case errors.As(err, &refusedErr):
		return Result{Failure: FailureRefused, Detail: refusedErr.Error()}
	case expired || isTimeout(err):
		return Result{Failure: FailureTimeout, Detail: "there was no answer in time"}
	case isTLSAlert(err):
		return Result{Failure: FailureTLS, Detail: "the receiver ended TLS: it may want another version, or a certificate"}
	case errors.As(err, &handshake) && !isDisconnect(handshake.cause):
		return Result{Failure: FailureTLS, Detail: handshakeDetail(handshake.cause)}
	default:
		return Result{Failure: FailureConnection, Detail: connectionDetail(err)}
	}
}

func isTimeout(err error) bool {
	var network net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout()
}

// isTLSAlert reports whether the receiver ended TLS with an alert, in the handshake
// or, as TLS 1.3 has it for certificates of clients, after it.
func isTLSAlert(err error) bool {
	operation, ok := errors.AsType[*net.OpError](err)
	return ok && operation.Op == "remote error"
}

func isDisconnect(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func handshakeDetail(err error) string {
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		record  tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &unknown):
		return "the certificate of the receiver comes from an unknown authority"
	case errors.As(err, &name):
		return "the certificate of the receiver is for another name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate of the receiver has expired or is not valid yet"
	case errors.As(err, &invalid):
		return "the certificate of the receiver is not valid"
	case errors.As(err, &record):
		return "the receiver does not speak TLS"
	default:
		return "TLS 1.2 or newer could not be agreed on with the receiver"
	}
}

func connectionDetail(err error) string {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "the name of the receiver is not known"
	case errors.As(err, &dns):
		return "the name of the receiver could not be resolved"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the receiver refused the connection"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "the receiver is unreachable"
	case isDisconnect(err):
		return "the receiver closed the connection without an answer"
	default:
		return "there was no answer that could be read"
	}
}
