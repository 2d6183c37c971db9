// webhook-receiver.go: go build webhook-receiver.go && ./webhook-receiver &
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id, timestamp := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
		wanted := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		seconds, _ := strconv.ParseFloat(timestamp, 64)
		genuine := false
		for _, signature := range strings.Split(r.Header.Get("webhook-signature"), " ") {
			genuine = genuine || hmac.Equal([]byte(wanted), []byte(signature))
		}
		if !genuine || math.Abs(float64(time.Now().Unix())-seconds) >= 300 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event struct{ EventType, ID string }
		_ = json.Unmarshal(body, &event)
		fmt.Println(id, event.EventType, event.ID)
		w.WriteHeader(http.StatusNoContent)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	fmt.Fprintln(os.Stderr, http.ListenAndServe(":"+port, nil))
}
