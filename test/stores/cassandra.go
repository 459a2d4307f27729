package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/procession-dev/procession/devstack/child"
)

// The superuser of a new Cassandra.
const (
	cassandraUser     = "cassandra"
	cassandraPassword = "cassandra"
)

// startCassandra starts a node in a folder that contains the certificates, and returns it with its port when it answers.
func startCassandra(ctx context.Context, dir string) (*child.Process, int, error) {
	jars, err := fetchJars(ctx, "cassandra")
	if err != nil {
		return nil, 0, err
	}
	ports, err := freePorts(3)
	if err != nil {
		return nil, 0, err
	}
	if err := writeCassandraConfig(dir, ports[0], ports[1]); err != nil {
		return nil, 0, err
	}
	options, err := recipes.ReadFile("cassandra/jvm.options")
	if err != nil {
		return nil, 0, err
	}
	agent, err := filepath.Glob(filepath.Join(jars, "jamm-*.jar"))
	if err != nil || len(agent) != 1 {
		return nil, 0, fmt.Errorf("%s has no jamm", jars)
	}
	args := append(strings.Fields(string(options)), "-javaagent:"+agent[0], "-Dcassandra.config=file://"+filepath.Join(dir, "cassandra.yaml"),
		"-Dcassandra.storagedir="+dir, "-Dlogback.configurationFile="+filepath.Join(dir, "logback.xml"), "-Dcassandra-foreground=yes",
		"-classpath", filepath.Join(jars, "*"), "org.apache.cassandra.service.CassandraDaemon")
	args = append([]string{fmt.Sprint("-Dcassandra.jmx.local.port=", ports[2])}, args...)
	nodetool := fmt.Sprintf("exec java %s -cp '%s/*' org.apache.cassandra.tools.NodeTool -h 127.0.0.1 -p %d \"$@\"\n",
		accessOptions(string(options)), jars, ports[2])
	if err := os.WriteFile(filepath.Join(dir, "nodetool"), []byte(nodetool), 0o600); err != nil {
		return nil, 0, err
	}
	node, err := startJava(dir, "cassandra", args)
	if err != nil {
		return nil, 0, err
	}
	err = awaitNode(ctx, node, dir, "cassandra", func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address(ports[0]))
		if err != nil {
			return err
		}
		// The superuser is created some seconds after the port is open.
		log, err := os.ReadFile(filepath.Join(dir, "cassandra.log")) //nolint:gosec // a log made here
		if err == nil && !bytes.Contains(log, []byte("Created default superuser role")) {
			err = errors.New("it has no superuser yet")
		}
		return errors.Join(err, conn.Close())
	})
	return node, ports[0], err
}

// accessOptions returns the options with which Java lets Cassandra use its internals.
func accessOptions(options string) string {
	all := strings.Fields(options)
	return strings.Join(slices.DeleteFunc(all, func(o string) bool { return !strings.HasPrefix(o, "--add-") }), " ")
}

// The log goes to the file of the output: Cassandra would otherwise log every detail.
const logback = `<configuration>
  <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%d{HH:mm:ss} %level %logger{0} %msg%n</pattern></encoder>
  </appender>
  <logger name="org.apache.cassandra.auth.CassandraRoleManager" level="INFO"/>
  <root level="WARN"><appender-ref ref="out"/></root>
</configuration>
`

func writeCassandraConfig(dir string, port, storage int) error {
	text, err := recipes.ReadFile("cassandra/cassandra.yaml.tmpl")
	if err != nil {
		return err
	}
	parsed, err := template.New("cassandra.yaml").Parse(string(text))
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(dir, "cassandra.yaml")) //nolint:gosec // a folder made here
	if err != nil {
		return err
	}
	err = parsed.Execute(file, struct {
		Dir           string
		Port, Storage int
	}{dir, port, storage})
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "logback.xml"), []byte(logback), 0o600)
}

// startJava starts a Java program whose output goes to the file NAME.log of a folder, and its process id to NAME.pid.
func startJava(dir, name string, args []string) (*child.Process, error) {
	log, err := os.Create(filepath.Join(dir, name+".log")) //nolint:gosec // a folder made here
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()   // the program has its own copy
	cmd := exec.Command("java", args...) //nolint:gosec,noctx // constants and folders made here; it runs until it is stopped
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	node, err := child.Start(cmd, killSignal)
	if err != nil {
		return nil, err
	}
	return node, os.WriteFile(filepath.Join(dir, name+".pid"), []byte(strconv.Itoa(node.PID())), 0o600)
}
