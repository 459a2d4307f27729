package main

import (
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/persistence"
)

func newCACommand() *cobra.Command {
	return keyFamily{
		purpose: persistence.SignsCertificates, use: "ca", noun: "authority", short: "the authorities that issue certificates",
		rotateSteps: "Then renew Temporal's certificate with procession certificate, at the latest before the old one expires. Workers\n" +
			"and Temporal go on accepting each other before, meanwhile and afterwards.",
		distrustSteps: "Next steps, in this order:\n" +
			"1. Renew Temporal's certificate: procession certificate --host … --out …; temporal-server reads the files again\n" +
			"   by itself, and then refuses what the authority issued.\n" +
			"2. Restart temporal-server: it asks connections that are open for no other certificate.\n" +
			"3. Restart all workers: they fetch their certificate and the trusted authorities when they start. Until then workers with a\n" +
			"   certificate of the authority cannot connect.\n" +
			"Replicas of the service follow within --key-reload.",
	}.newCommand()
}
