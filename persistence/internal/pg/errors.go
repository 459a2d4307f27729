package pg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/procession-dev/procession/domain"
)

// PostgreSQL error codes (Appendix A of its documentation).
const (
	codeNotNullViolation     = "23502"
	codeForeignKeyViolation  = "23503"
	codeUniqueViolation      = "23505"
	codeSerializationFailure = "40001"
	codeDeadlockDetected     = "40P01"
	codeUndefinedTable       = "42P01"
	codeLockNotAvailable     = "55P03"
	codeQueryCanceled        = "57014"
	codeIdleInTransaction    = "25P03"
	codeProtocolViolation    = "08P01"
	codeReadOnly             = "25006"
	codeTooManyConnections   = "53300"
	codeIOError              = "58030"
)

// tookTooLong reports whether err means that the database ended a statement or a transaction because of a
// timeout of its pool.
func tookTooLong(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && (pgErr.Code == codeQueryCanceled || pgErr.Code == codeIdleInTransaction)
}

// unavailable reports whether err means that the database cannot be reached, is shutting down, or lacks resources: connections that it
// refuses for any reason, connection exceptions (class 08), insufficient resources (class 53), operator intervention (class 57), and broken connections.
func unavailable(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		class := pgErr.Code[:2]
		return class == "08" || class == "53" || class == "57" || pgErr.Code == codeIOError
	}
	return brokenConnection(err)
}

// brokenConnection reports whether the connection to the database ended before or during its use. A connection
// that the service closed because the request ended is not broken.
func brokenConnection(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, pgconn.ErrConnClosed)
}

// IsReadOnly reports whether the database refused a change because the session is read-only: the server is a standby, or was
// made read-only by a setting.
func IsReadOnly(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == codeReadOnly
}

// IsExhausted reports whether the database lacks space on the disk or memory.
func IsExhausted(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (strings.HasPrefix(pgErr.Code, "53") && pgErr.Code != codeTooManyConnections || pgErr.Code == codeIOError)
}

// outageError marks the cause of an UNAVAILABLE error as an outage of the database.
type outageError struct{ error }

// Unwrap returns the error of the driver.
func (e outageError) Unwrap() error { return e.error }

// IsOutage reports whether err means that the database cannot be reached, accepts no changes or lacks resources.
func IsOutage(err error) bool {
	if _, ok := errors.AsType[outageError](err); ok {
		return true
	}
	_, refused := errors.AsType[*pgconn.ConnectError](err)
	_, answered := errors.AsType[*pgconn.PgError](err)
	return refused || answered && (unavailable(err) || IsReadOnly(err))
}

// Translate turns a driver error into a domain error where the caller can act on it, and wraps any other with
// doing.
func Translate(doing string, err error) error {
	var domainErr *domain.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &domainErr):
		return err
	case RefusedByPooler(err):
		return fmt.Errorf("%s: the URL leads through a pooler, so it needs a direct URL beside it: %w", doing, err)
	case tookTooLong(err):
		return &domain.Error{
			Kind: domain.KindUnavailable, Code: domain.CodeUnavailable,
			Message: "the database would take too long for this request: ask for less at a time, or try again later", Cause: err,
		}
	case IsReadOnly(err):
		return domain.Unavailable("the database is read-only", outageError{err})
	case IsExhausted(err):
		return domain.Unavailable("the database has no space left", outageError{err})
	case unavailable(err):
		return domain.Unavailable("the database is not available", outageError{err})
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}

// RefusedByPooler reports whether err is how PgBouncer refuses a connection with settings of its own, which the database
// itself would take.
func RefusedByPooler(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == codeProtocolViolation &&
		strings.HasPrefix(pgErr.Message, "unsupported startup parameter")
}

// UniqueViolation reports whether err is a violation of a unique key.
func UniqueViolation(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == codeUniqueViolation
}

// Retryable reports whether a transaction that failed with err may succeed when it is run again: after a
// serialization failure, a deadlock, a unique violation by a concurrent insert, or a reference to a row deleted or from a row
// inserted meanwhile: the next run reads the change.
func Retryable(err error) bool {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return false
	}
	switch pgErr.Code {
	case codeUniqueViolation, codeForeignKeyViolation, codeNotNullViolation, codeSerializationFailure, codeDeadlockDetected:
		return true
	default:
		return false
	}
}

// UndefinedTable reports whether err means that a table does not exist.
func UndefinedTable(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == codeUndefinedTable
}

// NotFound replaces the driver's "no rows" by the domain's.
func NotFound(err error, resource string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return domain.NotFound(resource)
	}
	return err
}

// OrNotFound makes a scan return NOT_FOUND for a missing row.
func OrNotFound(resource string, scan func(pgx.Rows) error) func(pgx.Rows) error {
	return func(rows pgx.Rows) error { return NotFound(scan(rows), resource) }
}

// IgnoreNoRows maps pgx.ErrNoRows to nil.
func IgnoreNoRows(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}

// LockNotAvailable reports whether a statement gave up waiting for a lock.
func LockNotAvailable(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == codeLockNotAvailable
}
