package sqlitedebug_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/durable/sqlite/sqlitedebug"
	"github.com/futoin-go/asyncsteps/step"
)

func ExampleOf() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "console")
	if err != nil {
		log.Panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	pay := durable.New("payments", step.Await(func(_ context.Context, cents int) (string, error) { return fmt.Sprintf("paid %d", cents), nil }))
	file, err := sqlite.Open(ctx, filepath.Join(folder, "app.db"), sqlite.Options{}, pay)
	if err != nil {
		log.Panic(err)
	}
	run, err := pay.Start(ctx, file.Engine(), "payment-17", 500)
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(run.Wait(ctx))

	console := debug.New(debug.Options{})
	defer console.Close()
	console.Durable("app.db", sqlitedebug.Of(file.Operator()))
	get := func(url string) string {
		w := httptest.NewRecorder()
		console.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody))
		return w.Body.String()
	}
	fmt.Println(strings.Contains(get("http://localhost/durable"), "payment-17"))
	page := get("http://localhost/durable-run?engine=app.db&id=payment-17")
	fmt.Println(strings.Contains(page, "started"), strings.Contains(page, "paid 500"), strings.Contains(page, "succeeded"))
	fmt.Println(file.Close(ctx))
	// Output:
	// paid 500 <nil>
	// true
	// true true true
	// <nil>
}
