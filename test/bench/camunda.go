package main

import (
	"bufio"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/demo"
)

//go:embed camunda
var camundaSources embed.FS

const (
	camundaDatabase = "camunda"
	// camundaConnections is as many as the service has for requests.
	camundaConnections = 16
	camundaStart       = 5 * time.Minute
	// warmUpRounds is the number of rounds before the measured ones: Java compiles code that runs often.
	warmUpRounds = 3
	// listClients read the list of unclaimed tasks at once.
	listClients = 32
)

// contest is work that the service and Camunda can both do. Each function does it once, for a client; ours is of the
// service.
type contest struct {
	measure      string
	clients      int
	target       float64
	ours, theirs func(c *conn, client int) error
}

// measureCamunda compares the service with Camunda, as its starter for Spring sets it up, on the same PostgreSQL.
func (b *bench) measureCamunda(ctx context.Context) error {
	fmt.Fprintln(b.progress, "  building and starting Camunda")
	address, err := b.startCamunda(ctx)
	if err != nil {
		return err
	}
	connect := func() (*conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, fmt.Errorf("connecting to Camunda: %w", err)
		}
		return &conn{Conn: c, header: "Accept: application/json", reader: bufio.NewReader(c)}, nil
	}
	if err := b.loadList(ctx, 0, b.items[0]); err != nil {
		return err
	}
	contests, err := b.camundaContests(ctx, connect)
	if err != nil {
		return err
	}
	for _, one := range contests {
		if err := b.measureContest(ctx, one, connect); err != nil {
			return fmt.Errorf("%s: %w", one.measure, err)
		}
	}
	return nil
}

// startCamunda builds Camunda, starts it on a database of its own and returns its address once it answers.
func (b *bench) startCamunda(ctx context.Context) (address string, err error) {
	dir := filepath.Join(b.dir, "camunda")
	sources, err := fs.Sub(camundaSources, "camunda")
	if err != nil {
		return "", fmt.Errorf("reading the sources beside Camunda: %w", err)
	}
	if err := os.CopyFS(dir, sources); err != nil {
		return "", fmt.Errorf("copying the sources beside Camunda: %w", err)
	}
	build := exec.CommandContext(ctx, "mvn", "--batch-mode", "--quiet", "package")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building Camunda, which takes a JDK 17 and Maven: %w\n%s", err, out)
	}
	if err := b.cluster.CreateDatabase(ctx, camundaDatabase); err != nil {
		return "", err
	}
	addresses, err := freeAddresses(ctx, 1)
	if err != nil {
		return "", err
	}
	if err := b.runCamunda(dir, addresses[0]); err != nil {
		return "", err
	}
	starting, cancel := context.WithTimeout(ctx, camundaStart)
	defer cancel()
	return addresses[0], pollUntil(starting, 100*time.Millisecond, func(ctx context.Context) (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addresses[0]+"/engine-rest/process-definition/key/bench", nil)
		if err != nil {
			return false, fmt.Errorf("asking Camunda: %w", err)
		}
		answer, err := (&http.Client{}).Do(request)
		if err != nil {
			return false, nil //nolint:nilerr // it does not listen yet
		}
		return answer.StatusCode == http.StatusOK, answer.Body.Close()
	})
}

func (b *bench) runCamunda(dir, address string) error {
	database, err := url.Parse(b.cluster.URL(camundaDatabase))
	if err != nil {
		return fmt.Errorf("reading the URL of the database: %w", err)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("reading an address: %w", err)
	}
	password, _ := database.User.Password()
	socket := filepath.Join(database.Query().Get("host"), ".s.PGSQL."+database.Query().Get("port"))
	log, err := os.OpenFile(filepath.Join(b.dir, "camunda.log"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening Camunda's log: %w", err)
	}
	cmd := exec.Command("java", "-jar", filepath.Join(dir, "target", "camunda-beside.jar")) //nolint:gosec,noctx // built here; it is stopped in its turn
	cmd.Env = append(cleanEnvironment(),
		"SERVER_ADDRESS=127.0.0.1", "SERVER_PORT="+port,
		"SPRING_DATASOURCE_URL=jdbc:postgresql://localhost/"+camundaDatabase+"?sslMode=disable"+
			"&socketFactory=org.newsclub.net.unix.AFUNIXSocketFactory$FactoryArg&socketFactoryArg="+socket,
		"SPRING_DATASOURCE_USERNAME="+database.User.Username(), "SPRING_DATASOURCE_PASSWORD="+password,
		"SPRING_DATASOURCE_HIKARI_MAXIMUMPOOLSIZE="+strconv.Itoa(camundaConnections))
	cmd.Stdout, cmd.Stderr = log, log
	process, err := child.Start(cmd, syscall.SIGTERM)
	if err != nil {
		return err
	}
	b.onStop(func(ctx context.Context) error {
		return errors.Join(process.Stop(ctx, syscall.SIGTERM, syscall.SIGKILL), log.Close())
	})
	return nil
}

// camundaContests returns the compared operations. It gives Camunda as many unclaimed tasks as the service has, and
// both a process for every client.
func (b *bench) camundaContests(ctx context.Context, connect func() (*conn, error)) ([]contest, error) {
	beside, err := connect()
	if err != nil {
		return nil, err
	}
	defer beside.Close()
	unclaimed, err := b.countRows(ctx, "SELECT count(*) FROM process_items WHERE task_state = 'READY'")
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(b.progress, "  creating %d tasks in Camunda\n", unclaimed)
	for range unclaimed {
		if err := camundaTask(beside, uuid.NewString()); err != nil {
			return nil, err
		}
	}
	own, err := b.dial(ctx, demo.Alice())
	if err != nil {
		return nil, err
	}
	defer own.Close()
	processes, instances := make([]uuid.UUID, b.clients), make([]string, b.clients)
	for i := range b.clients {
		processes[i] = uuid.New()
		if err := createProcess(own, "ONBOARDING", processes[i]); err != nil {
			return nil, err
		}
		if instances[i], err = camundaProcess(beside); err != nil {
			return nil, err
		}
	}
	return []contest{
		{"create a process", b.clients, 3, createOne, func(c *conn, _ int) error { _, err := camundaProcess(c); return err }},
		{
			"create, claim and complete a task", b.clients, 3,
			func(c *conn, client int) error { return taskOf(c, processes[client]) }, func(c *conn, _ int) error {
				id := uuid.NewString()
				if err := camundaTask(c, id); err != nil {
					return err
				}
				return camundaComplete(c, id)
			},
		},
		{"a process with one task, to its end", b.clients, 3, wholeProcess, camundaWhole},
		{
			"get a process", b.clients, 3,
			func(c *conn, client int) error {
				return c.callExpecting(http.MethodGet, "/processes/"+processes[client].String(), "", http.StatusOK)
			},
			func(c *conn, client int) error {
				_, err := c.sendRequest(http.MethodGet, "/engine-rest/process-instance/"+instances[client], "", http.StatusOK)
				return err
			},
		},
		{fmt.Sprintf("first 25 of %d unclaimed tasks and their number", unclaimed), listClients, 2, unclaimedTasks, camundaUnclaimed},
	}, nil
}

// measureContest measures a contest by turns, after a round that is not counted.
func (b *bench) measureContest(ctx context.Context, w contest, connect func() (*conn, error)) error {
	sides := [2]struct {
		connect func() (*conn, error)
		work    func(*conn, int) error
		conns   []*conn
		rates   []float64
	}{
		{connect: func() (*conn, error) { return b.dial(ctx, demo.Alice()) }, work: w.ours},
		{connect: connect, work: w.theirs},
	}
	for i := range sides {
		for range w.clients {
			c, err := sides[i].connect()
			if err != nil {
				return err
			}
			defer c.Close()
			sides[i].conns = append(sides[i].conns, c)
		}
	}
	for round := range b.rounds + 1 {
		length := time.Duration(b.seconds) * time.Second
		if round == 0 {
			length *= warmUpRounds
		}
		for i := range sides {
			side := &sides[i]
			n, took, err := driveClients(ctx, w.clients, length, func(client int) error {
				return side.work(side.conns[client], client)
			})
			if err != nil {
				return err
			}
			if round > 0 {
				side.rates = append(side.rates, perSecond(n, took))
			}
		}
	}
	ours, theirs := sides[0].rates, sides[1].rates
	fmt.Fprintf(b.progress, "  %s: service %.0f/s, Camunda %.0f/s\n", w.measure, medianOf(ours), medianOf(theirs))
	b.report.add(row{
		measure: w.measure, value: formatRate(medianOf(ours)), beside: formatRate(medianOf(theirs)) + " Camunda",
		ratio: medianOf(divideRounds(ours, theirs)), target: w.target,
	})
	return nil
}

func createOne(c *conn, _ int) error { return createProcess(c, "ONBOARDING", uuid.New()) }

// taskOf creates a task of a process, claims and completes it.
func taskOf(c *conn, process uuid.UUID) error {
	id := uuid.NewString()
	body := `{"id":"` + id + `","type":"TASK","processId":"` + process.String() + `","processItemDefinitionCode":"CHECKLIST"}`
	if err := c.callExpecting(http.MethodPost, "/process-items", body, http.StatusCreated); err != nil {
		return err
	}
	path := "/process-items/" + id + "/task/~actions/"
	if err := c.callExpecting(http.MethodPost, path+"claim", "", http.StatusOK); err != nil {
		return err
	}
	return c.callExpecting(http.MethodPost, path+"complete", "", http.StatusOK)
}

func wholeProcess(c *conn, _ int) error {
	process := uuid.New()
	if err := createProcess(c, "ONBOARDING", process); err != nil {
		return err
	}
	if err := taskOf(c, process); err != nil {
		return err
	}
	return c.callExpecting(http.MethodPost, "/processes/"+process.String()+"/~actions/complete", "", http.StatusOK)
}

func unclaimedTasks(c *conn, _ int) error {
	return c.callExpecting(http.MethodGet, "/process-items?taskState=READY&sort=createdAt,desc&size=25", "", http.StatusOK)
}

// camundaProcess starts a process, with its task, and returns its id.
func camundaProcess(c *conn) (string, error) {
	body, err := c.sendRequest(http.MethodPost, "/engine-rest/process-definition/key/bench/start", "{}", http.StatusOK)
	if err != nil {
		return "", err
	}
	var started struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(body, &started); err != nil {
		return "", fmt.Errorf("reading a process of Camunda: %w", err)
	}
	return started.ID, nil
}

func camundaTask(c *conn, id string) error {
	_, err := c.sendRequest(http.MethodPost, "/engine-rest/task/create", `{"id":"`+id+`","name":"Task"}`, http.StatusNoContent)
	return err
}

// camundaComplete claims a task and completes it.
func camundaComplete(c *conn, id string) error {
	if _, err := c.sendRequest(http.MethodPost, "/engine-rest/task/"+id+"/claim", `{"userId":"alice"}`, http.StatusNoContent); err != nil {
		return err
	}
	_, err := c.sendRequest(http.MethodPost, "/engine-rest/task/"+id+"/complete", "{}", http.StatusNoContent)
	return err
}

func camundaWhole(c *conn, _ int) error {
	id, err := camundaProcess(c)
	if err != nil {
		return err
	}
	body, err := c.sendRequest(http.MethodGet, "/engine-rest/task?processInstanceId="+id, "", http.StatusOK)
	if err != nil {
		return err
	}
	var tasks []struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(body, &tasks); err != nil || len(tasks) != 1 {
		return fmt.Errorf("reading the task of a process of Camunda: %w: %s", err, body)
	}
	return camundaComplete(c, tasks[0].ID)
}

// camundaUnclaimed takes two requests.
func camundaUnclaimed(c *conn, _ int) error {
	const page = "/engine-rest/task?unassigned=true&sortBy=created&sortOrder=desc&firstResult=0&maxResults=25"
	if _, err := c.sendRequest(http.MethodGet, page, "", http.StatusOK); err != nil {
		return err
	}
	_, err := c.sendRequest(http.MethodGet, "/engine-rest/task/count?unassigned=true", "", http.StatusOK)
	return err
}
