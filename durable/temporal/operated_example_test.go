package temporal_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// encrypted encrypts what the server stores. It implements converter.PayloadCodec.
type encrypted struct{ with cipher.AEAD }

func encrypting(key []byte) (encrypted, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return encrypted{}, err
	}
	with, err := cipher.NewGCMWithRandomNonce(block)
	return encrypted{with}, err
}

func (s encrypted) Encode(all []*common.Payload) ([]*common.Payload, error) {
	out := make([]*common.Payload, len(all))
	for i, p := range all {
		plain, err := p.Marshal()
		if err != nil {
			return nil, err
		}
		out[i] = &common.Payload{Metadata: map[string][]byte{"encoding": []byte("binary/encrypted")}, Data: s.with.Seal(nil, nil, plain, nil)}
	}
	return out, nil
}

func (s encrypted) Decode(all []*common.Payload) ([]*common.Payload, error) {
	out := make([]*common.Payload, len(all))
	for i, p := range all {
		if string(p.GetMetadata()["encoding"]) != "binary/encrypted" {
			out[i] = p
			continue
		}
		plain, err := s.with.Open(nil, nil, p.GetData(), nil)
		if err != nil {
			return nil, err
		}
		out[i] = new(common.Payload)
		if err = out[i].Unmarshal(plain); err != nil {
			return nil, err
		}
	}
	return out, nil
}

var (
	price    = flow.Named("price", step.Await(func(_ context.Context, item string) (int, error) { return 100 * len(item), nil }))
	invoice  = flow.Named("invoice", step.Await(func(ctx context.Context, cents int) (string, error) { return fmt.Sprintf("invoice of %d", cents), nil }))
	invoices = durable.New("invoices", flow.Then(price, invoice))
)

// operated returns the workflow with the options of its steps.
func operated() temporal.Workflow {
	return temporal.Of(invoices).
		LocalStep("price", workflow.LocalActivityOptions{StartToCloseTimeout: time.Second}).
		Step("invoice", workflow.ActivityOptions{
			TaskQueue: "printers", StartToCloseTimeout: time.Minute, HeartbeatTimeout: 5 * time.Second,
			RetryPolicy: &sdk.RetryPolicy{InitialInterval: time.Second, MaximumAttempts: 20},
		})
}

func dialled(address, namespace string, certificate tls.Certificate, key []byte, metrics client.MetricsHandler) (client.Client, error) {
	codec, err := encrypting(key)
	if err != nil {
		return nil, err
	}
	values := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec)
	return client.NewLazyClient(client.Options{
		HostPort: address, Namespace: namespace, MetricsHandler: metrics,
		ConnectionOptions: client.ConnectionOptions{TLS: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13}},
		DataConverter:     values,
		FailureConverter:  sdk.NewDefaultFailureConverter(sdk.DefaultFailureConverterOptions{DataConverter: values, EncodeCommonAttributes: true}),
	})
}

// A program in production encrypts values, and has TLS, versions of its workers, and options for its steps and runs.
func ExampleEngineWith() {
	key := make([]byte, 32) // a program reads it from where its keys are kept
	_, _ = rand.Read(key)
	c, err := dialled("localhost:7233", "shop", tls.Certificate{}, key, client.MetricsNopHandler)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	// Workers of this build execute the runs that began with it; runs of earlier builds stay with theirs.
	w := worker.New(c, "invoices", worker.Options{
		WorkerStopTimeout: 30 * time.Second, MaxConcurrentActivityExecutionSize: 100,
		DeploymentOptions: worker.DeploymentOptions{
			UseVersioning: true, Version: worker.WorkerDeploymentVersion{DeploymentName: "invoices", BuildID: "2026-03-01.1"},
			DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
		},
	})
	printers := worker.New(c, "printers", worker.Options{MaxConcurrentActivityExecutionSize: 2})
	fmt.Println(errors.Join(operated().Register(w), operated().Register(printers)))

	on := temporal.EngineWith(c, client.StartWorkflowOptions{
		TaskQueue: "invoices", StartDelay: time.Minute, Memo: map[string]any{"customer": "Ann"},
		TypedSearchAttributes: sdk.NewSearchAttributes(sdk.NewSearchAttributeKeyKeyword("Customer").ValueSet("Ann")),
	})
	fmt.Println(invoices.Attach(on, "invoice-17").ID())
	// Output:
	// <nil>
	// invoice-17
}
