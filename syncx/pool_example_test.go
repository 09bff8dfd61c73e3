package syncx_test

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// The plan hashes any number of texts, as many at once as GOMAXPROCS allows.
func ExampleNewPool() {
	cores := syncx.NewPool(0)
	hash := syncx.Sync(cores, step.Await(func(_ context.Context, text string) (string, error) {
		return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:6], nil
	}))
	fmt.Println(flow.Run(context.Background(), flow.ParEach(100, hash), []string{"tea", "cake"}))
	// Output: [a9f74d 32cdb6] <nil>
}
