// Calls the numbers of a list, one after the other: go run dialer.go numbers.txt
package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

type answer struct {
	ID, Status  string
	HangupCause string `json:"hangup_cause"`
	Duration    int
	Error       *struct{ Code string }
}

func ask(method, path, body, key string) (result answer) {
	for {
		request, _ := http.NewRequest(method, os.Getenv("API")+path, strings.NewReader(body))
		request.Header.Set("Authorization", os.Getenv("TOKEN"))
		request.Header.Set("Content-Type", "application/json")
		if key != "" {
			request.Header.Set("Idempotency-Key", key)
		}
		received, err := http.DefaultClient.Do(request)
		if err != nil {
			panic(err)
		}
		if received.StatusCode != 429 && received.StatusCode != 503 {
			defer received.Body.Close()
			if err := json.NewDecoder(received.Body).Decode(&result); err != nil {
				panic(err)
			}
			return result
		}
		received.Body.Close()
		seconds, _ := strconv.Atoi(received.Header.Get("Retry-After"))
		time.Sleep(time.Duration(max(1, seconds)) * time.Second)
	}
}

func main() {
	extension := os.Getenv("EXTENSION")
	if extension == "" {
		extension = "1000"
	}
	list, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	for _, number := range strings.Fields(string(list)) {
		wanted, _ := json.Marshal(map[string]string{"extension": extension, "called": number})
		key := make([]byte, 16)
		_, _ = rand.Read(key)
		placed := ask("POST", "/calls", string(wanted), hex.EncodeToString(key))
		if placed.Error != nil {
			fmt.Println(number, placed.Error.Code)
			continue
		}
		call := placed
		for call.Status != "ended" {
			time.Sleep(2 * time.Second)
			call = ask("GET", "/calls/"+placed.ID, "", "")
		}
		fmt.Println(number, call.HangupCause, call.Duration)
	}
}
