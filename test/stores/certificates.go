package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const (
	authorityFile   = "ca.pem"
	serverFile      = "server.pem" // key and certificate
	clientFile      = "client.pem"
	clientKeyFile   = "client-key.pem"
	certificateLife = 24 * time.Hour
)

// writeCertificates writes an authority to a folder, a certificate for the stores and one for their clients.
func writeCertificates(dir string) error {
	authority, authorityKey, _, err := sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "stores of tests"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, nil)
	if err != nil {
		return err
	}
	server, _, serverKey, err := sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "store"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, authority, authorityKey)
	if err != nil {
		return err
	}
	client, _, clientKey, err := sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "temporal"}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, authority, authorityKey)
	if err != nil {
		return err
	}
	for name, blocks := range map[string][]*pem.Block{
		authorityFile: {certificateBlock(authority)},
		serverFile:    {serverKey, certificateBlock(server), certificateBlock(authority)},
		clientFile:    {certificateBlock(client)},
		clientKeyFile: {clientKey},
	} {
		var text []byte
		for _, block := range blocks {
			text = append(text, pem.EncodeToMemory(block)...)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func certificateBlock(c *x509.Certificate) *pem.Block {
	return &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}
}

// sign completes and signs a certificate, with its own key without a parent.
func sign(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, *pem.Block, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, nil, err
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Minute), time.Now().Add(certificateLife)
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return nil, nil, nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, nil, err
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	return certificate, key, &pem.Block{Type: "PRIVATE KEY", Bytes: encoded}, err
}
