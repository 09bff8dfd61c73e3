package httpx_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/retry"
)

// The connection breaks, and the next attempt continues the download. Here it fetches one byte again; usually that is 4096.
func ExampleDownload() {
	const text = "a file of some length"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Printf("asked for %q\n", r.Header.Get("Range"))
		w.Header().Set("ETag", `"v1"`)
		if r.Header.Get("Range") == "" {
			w.Header().Set("Content-Length", fmt.Sprint(len(text)))
			fmt.Fprint(w, text[:7]) // and the rest is missing
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
	}))
	defer server.Close()
	folder, err := os.MkdirTemp("", "download")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)

	progress := flow.NewOutput[httpx.Progress]("progress")
	fetch := retry.Of(retry.Policy{Tries: 5}, httpx.Download(server.Client(), httpx.DownloadOptions{Progress: progress.Send}))
	sum := sha256.Sum256([]byte(text))
	run := flow.RunOutput(context.Background(), progress, fetch, httpx.File{
		URL: server.URL, Path: filepath.Join(folder, "file"), SHA256: hex.EncodeToString(sum[:]),
	})
	for p := range run.All() {
		fmt.Println(p.Bytes, "of", p.Total)
	}
	var got httpx.Downloaded
	got, err = run.Result()
	fmt.Println(got.Size, got.Kept, got.ETag, err)
	// Output:
	// asked for ""
	// 0 of 21
	// 7 of 21
	// asked for "bytes=6-"
	// 6 of 21
	// 21 of 21
	// 21 6 "v1" <nil>
}
