package temporal_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	common "go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdktemporal "go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

type encryptingCodec struct{ cipher.AEAD }

func newEncryptingCodec(t *testing.T) encryptingCodec {
	t.Helper()
	block, err := aes.NewCipher([]byte("0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return encryptingCodec{g}
}

func (s encryptingCodec) Encode(plain []*common.Payload) ([]*common.Payload, error) {
	return forEachPayload(plain, func(p *common.Payload) (*common.Payload, error) {
		text, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		nonce := make([]byte, s.NonceSize())
		if _, err = rand.Read(nonce); err != nil {
			return nil, err
		}
		return &common.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte("binary/sealed")}, Data: s.Seal(nonce, nonce, text, nil)}, nil
	})
}

func (s encryptingCodec) Decode(coded []*common.Payload) ([]*common.Payload, error) {
	return forEachPayload(coded, func(p *common.Payload) (*common.Payload, error) {
		if string(p.GetMetadata()[converter.MetadataEncoding]) != "binary/sealed" {
			return p, nil
		}
		data := p.GetData()
		text, err := s.Open(nil, data[:s.NonceSize()], data[s.NonceSize():], nil)
		if err != nil {
			return nil, err
		}
		plain := new(common.Payload)
		return plain, proto.Unmarshal(text, plain)
	})
}

func forEachPayload(in []*common.Payload, fn func(*common.Payload) (*common.Payload, error)) (out []*common.Payload, err error) {
	for _, p := range in {
		q, err := fn(p)
		if err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	return out, nil
}

// Inputs, results, errors and signals can't be read on the server if the client's converter encrypts. Protobuf messages are encoded as
// protobuf.
func TestConverter(t *testing.T) {
	s := serve(t)
	binary := converter.NewCompositeDataConverter(converter.NewNilPayloadConverter(), converter.NewByteSlicePayloadConverter(),
		converter.NewProtoPayloadConverter(), converter.NewJSONPayloadConverter())
	for name, data := range map[string]converter.DataConverter{"sealed": converter.NewCodecDataConverter(binary, newEncryptingCodec(t)), "protobuf": binary} {
		t.Run(name, func(t *testing.T) {
			c := s.clientWith(client.Options{
				DataConverter:    data,
				FailureConverter: sdktemporal.NewDefaultFailureConverter(sdktemporal.DefaultFailureConverterOptions{DataConverter: data, EncodeCommonAttributes: true}),
			})
			double := flow.Named("double", step.Await(func(_ context.Context, d *durationpb.Duration) (*durationpb.Duration, error) {
				return durationpb.New(2 * d.AsDuration()), nil
			}))
			secret := flow.Named("secret", step.Await(func(_ context.Context, by approval) (string, error) {
				if by.By == "" {
					return "", errSecret
				}
				return "seen by " + by.By, nil
			}))
			asked := step.New(func(as step.Scope, d *durationpb.Duration) step.Next[string] {
				if d.GetSeconds() != 14 {
					return step.Fail[string](errors.New("got " + d.String()))
				}
				return step.Into(as, flow.Then(durable.Signal[approval]("approval"), secret), struct{}{})
			})
			w := durable.New("converted", flow.Then(double, asked), durable.Also("secret", secret), durable.Errors(map[string]error{"known": errSecret}))
			work(t, c, name, temporal.Of(w).Register)
			on := temporal.Engine(c, name)
			for i, by := range []string{"confidential Ann", ""} {
				id := fmt.Sprintf("%s-%d", name, i)
				run, err := w.Start(t.Context(), on, id, durationpb.New(7*time.Second))
				if err == nil {
					err = durable.Send(t.Context(), run, "approval", approval{by})
				}
				if err != nil {
					t.Fatal(err)
				}
				out, err := run.Wait(withinLimit(t))
				if by != "" && (out != "seen by "+by || err != nil) || by == "" && !errors.Is(err, errSecret) {
					t.Errorf("got %q, %v", out, err)
				}
				wantReadable(t, c, id, name)
			}
		})
	}
}

var errSecret = errors.New("confidential failure")

// wantReadable checks the history of a run: texts of the user can be read in it unless the converter with the given name encrypts them.
func wantReadable(t *testing.T, c client.Client, id, name string) {
	t.Helper()
	text := historyOf(t, c, id).String()
	if readable := strings.Contains(text, "confidential"); readable != (name != "sealed") {
		t.Errorf("%s is readable on the server: %t", id, readable)
	}
	if name == "protobuf" && !strings.Contains(text, "binary/protobuf") {
		t.Error("the message was not stored as protobuf")
	}
}

// Temporal's pages show the search attribute, the path in the id of each activity, and a summary of each child.
func TestShown(t *testing.T) {
	s := serve(t)
	c := s.client()
	attribute(t, c, "Stands")
	pack := flow.Named("pack", step.Await(func(_ context.Context, n int) (int, error) { return n + 1, nil }))
	hold := flow.Named("hold", flow.Then(step.Map(func(int) struct{} { return struct{}{} }), durable.Signal[int]("release")))
	w := durable.New("shown", flow.Then(pack, flow.Then(flow.Named("ship", flow.Call(pack)), hold)), durable.SearchAttribute("Stands"))
	work(t, c, "shown", temporal.Of(w).Register)
	run, err := w.Start(t.Context(), temporal.Engine(c, "shown"), "shown-1", 1)
	if err != nil {
		t.Fatal(err)
	}
	wantDescribed(t, c, "release")
	if err = durable.Send(t.Context(), run, "release", 7); err != nil {
		t.Fatal(err)
	}
	if out, err := run.Wait(withinLimit(t)); out != 7 || err != nil {
		t.Errorf("got %d, %v", out, err)
	}
	shown := make(map[string]string)
	for _, e := range historyOf(t, c, "shown-1").GetEvents() {
		if a := e.GetActivityTaskScheduledEventAttributes(); a != nil {
			shown[a.GetActivityType().GetName()], _, _ = strings.Cut(a.GetActivityId(), "@") // the version of the plan follows
		}
		if p := e.GetUserMetadata().GetSummary(); p != nil {
			var text string
			if err = converter.GetDefaultDataConverter().FromPayload(p, &text); err != nil {
				t.Error(err)
			}
			shown[e.GetStartChildWorkflowExecutionInitiatedEventAttributes().GetWorkflowType().GetName()] = text
		}
	}
	if want := map[string]string{"shown.pack": "/0#1", "shown.ship": "1"}; !maps.Equal(shown, want) {
		t.Errorf("got %q, want %q", shown, want)
	}
	if err = replay(t, c, w, "shown-1"); err != nil {
		t.Error(err)
	}
}

func wantDescribed(t *testing.T, c client.Client, want string) {
	t.Helper()
	for got, began := "", time.Now(); got != want; time.Sleep(50 * time.Millisecond) {
		d, err := c.DescribeWorkflowExecution(t.Context(), "shown-1", "")
		if err != nil {
			t.Fatal(err)
		}
		if p := d.GetWorkflowExecutionInfo().GetSearchAttributes().GetIndexedFields()["Stands"]; p != nil {
			if err = converter.GetDefaultDataConverter().FromPayload(p, &got); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("it stands at %q, want %q", got, want)
		}
	}
}

func attribute(t *testing.T, c client.Client, name string) {
	t.Helper()
	_, err := c.OperatorService().AddSearchAttributes(t.Context(), &operatorservice.AddSearchAttributesRequest{
		Namespace: "default", SearchAttributes: map[string]enums.IndexedValueType{name: enums.INDEXED_VALUE_TYPE_KEYWORD},
	})
	if err != nil {
		t.Fatal(err)
	}
}
