/**
 * A client of its own process, so that what it measures is the server and not the attacker beside it: asks again and again
 * until its standard input ends, and prints how long each answer took, in ms. Arguments: the URL, and a key to submit with.
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

for (let asked = 0; !isOver || asked === 0; asked++) {
  const began = performance.now()
  const response = await fetch(url, init)
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`The answer is ${response.status}`)
  // The first one opens the connection.
  if (asked > 0) times.push(performance.now() - began)
  if (asked === 0) process.stdout.write("\n")
  await new Promise((resolve) => setTimeout(resolve, 5))
}
process.stdout.write(JSON.stringify(times))
