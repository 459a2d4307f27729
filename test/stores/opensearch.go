package main

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/procession-dev/procession/devstack/child"
)

const (
	searchUser     = "temporal"
	searchPassword = "secret of tests"
)

// startOpenSearch starts a node in a folder that contains the certificates, and returns it with its URL when it answers. The artifacts in
// Maven have no TLS and no users, so a proxy has them.
func startOpenSearch(ctx context.Context, dir string) (*child.Process, string, error) {
	jars, err := fetchJars(ctx, "opensearch")
	if err != nil {
		return nil, "", err
	}
	ports, err := freePorts(1)
	if err != nil {
		return nil, "", err
	}
	source, err := recipes.ReadFile("opensearch/StartNode.java")
	if err != nil {
		return nil, "", err
	}
	home := filepath.Join(dir, "opensearch")
	program := filepath.Join(home, "StartNode.java")
	if err := os.MkdirAll(filepath.Join(home, "config"), 0o700); err != nil {
		return nil, "", err
	}
	if err := os.WriteFile(program, source, 0o600); err != nil {
		return nil, "", err
	}
	node, err := startJava(dir, "opensearch", []string{
		"-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-Djava.security.manager=allow", "-Dlog4j2.disable.jmx=true",
		"-classpath", filepath.Join(jars, "*"), program, home, strconv.Itoa(ports[0]),
	})
	if err != nil {
		return nil, "", err
	}
	plain := &url.URL{Scheme: "http", Host: address(ports[0])}
	err = awaitNode(ctx, node, dir, "opensearch", func(ctx context.Context) error { return askNode(ctx, plain.String()) })
	if err != nil {
		return node, "", err
	}
	secured, err := serveSecured(ctx, dir, plain)
	return node, secured, err
}

func askNode(ctx context.Context, at string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/_cluster/health", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req) //nolint:forbidigo // on loopback
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	return nil
}

// serveSecured serves what is at a URL by TLS to callers with the password, until ctx ends, and returns the URL.
func serveSecured(ctx context.Context, dir string, target *url.URL) (string, error) {
	file := filepath.Join(dir, serverFile)
	certificate, err := tls.LoadX509KeyPair(file, file)
	if err != nil {
		return "", err
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		TLSConfig:         &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			user, password, _ := r.BasicAuth()
			if user != searchUser || subtle.ConstantTimeCompare([]byte(password), []byte(searchPassword)) != 1 {
				http.Error(w, "wrong user or password", http.StatusUnauthorized)
				return
			}
			r.Header.Del("Authorization")
			proxy.ServeHTTP(w, r)
		}),
	}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, "stores: serving OpenSearch by TLS:", err)
		}
	}()
	return "https://" + listener.Addr().String(), nil
}
