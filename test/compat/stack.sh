# stack.sh is sourced by the scripts beside it, in the repository's root, and starts a local stack without workers.
# COMPAT_LISTEN and COMPAT_TEMPORAL_LISTEN are where it listens. It ends with the script, as all children do.

endpoint=${COMPAT_LISTEN:-127.0.0.1:18180}
temporal=${COMPAT_TEMPORAL_LISTEN:-127.0.0.1:17333}
client=01970000-0000-7000-8000-00000000a001
secret=demo-loan-worker-secret
logs=$PWD/.procession/compat
mkdir -p "$logs"

children=()
stop() {
  for child in "${children[@]}"; do
    kill "$child" 2>/dev/null || true
  done
  wait
}
trap stop EXIT

bin/procession dev --ephemeral --worker none --listen "$endpoint" --listen-tls '' --listen-health '' \
  --temporal-listen "$temporal" >"$logs/stack.log" 2>&1 &
children+=($!)
for _ in $(seq 600); do
  grep -q 'Ctrl-C stops all of it' "$logs/stack.log" && break
  kill -0 "${children[0]}" 2>/dev/null || { cat "$logs/stack.log" >&2; exit 1; }
  sleep 0.2
done

# driven drives three loans through the worker that runs and has the given log.
driven() {
  go run ./examples/loan/drive -endpoint "http://$endpoint" || { tail -n 20 "$1" >&2; exit 1; }
}
