/**
 * A client in its own process, so that it measures the server and not the attacker. It calls the server until its standard
 * input ends and prints the latency of each call in ms. Arguments: the URL, and optionally a key to submit with.
 */
const [url = "", key] = process.argv.slice(2)

const init =
  key === undefined
    ? {}
    : {
        method: "POST",
        headers: { authorization: `Key ${key}`, "content-type": "application/json" },
        body: '{"value":"honest"}'
      }

const times: Array<number> = []
let isOver = false
process.stdin.on("data", () => {}).on("end", () => (isOver = true))

for (let calls = 0; !isOver || calls === 0; calls++) {
  const began = performance.now()
  const response = await fetch(url, init)
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`The answer is ${response.status}`)
  // The first call opens the connection.
  if (calls > 0) times.push(performance.now() - began)
  if (calls === 0) process.stdout.write("\n")
  await new Promise((resolve) => setTimeout(resolve, 5))
}
process.stdout.write(JSON.stringify(times))
