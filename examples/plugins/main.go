// Command plugins is a service whose prices come from rules in WebAssembly: files in a folder, which may be replaced while
// it runs.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o rules/discount.wasm ./testdata/discount
//	go run . -rules rules
//	curl -d '{"Item":"tea","Quantity":12,"Cents":300}' localhost:8080/price/discount
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
)

func main() { os.Exit(run()) }

// run returns the status of the program.
func run() int {
	dir := flag.String("rules", "rules", "the folder of the rules")
	address := flag.String("address", "localhost:8080", "where to listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *dir, *address); err != nil {
		slog.Error("plugins", "error", err)
		return 1
	}
	return 0
}

func serve(ctx context.Context, dir, address string) error {
	r := newRules(dir)
	server := &http.Server{Addr: address, Handler: handler(r), ReadHeaderTimeout: 5 * time.Second}
	go func() { // looks for new files until ctx ends
		for ctx.Err() == nil {
			if err := r.load(ctx); err != nil {
				slog.Warn("the rules before stay", "error", err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}()
	return httpx.Serve(ctx, server, 10*time.Second)
}

func handler(r *rules) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /price/{rule}", func(w http.ResponseWriter, req *http.Request) {
		var o order
		if err := json.NewDecoder(http.MaxBytesReader(w, req.Body, 1<<16)).Decode(&o); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		found, err := r.find(req.PathValue("rule"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		p, err := flow.Run(req.Context(), found.price, o)
		if err != nil {
			http.Error(w, err.Error(), status(err))
			return
		}
		_ = json.NewEncoder(w).Encode(p) // nothing to do if the client has gone
	})
	return mux
}

func status(err error) int {
	switch {
	case errors.Is(err, fault.Timeout):
		return http.StatusGatewayTimeout
	case errors.Is(err, fault.DefenseRejected):
		return http.StatusServiceUnavailable
	default:
		return http.StatusBadGateway
	}
}
