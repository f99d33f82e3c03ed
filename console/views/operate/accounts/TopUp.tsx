/** Pays into an account. The id of the payment stays until it is paid in, so that a repetition counts once. */
import { useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { admin } from "#console/api/Client.ts"
import { adminQuery } from "#console/api/Queries.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { moneyText } from "#console/design/data/Money.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import classes from "../Operate.module.css"
import { useRefusal } from "../parts/Role.ts"

const newId = () => `console-${crypto.randomUUID()}`

export const TopUp = ({ accountId }: { readonly accountId: string }) => {
  const client = useQueryClient()
  const refusal = useRefusal("owner")
  const [amount, setAmount] = useState("")
  const [reference, setReference] = useState("")
  const [paymentId, setPaymentId] = useState(newId)
  const [said, setSaid] = useState<{ readonly text: string } | { readonly error: unknown } | null>(null)
  const pay = async (event: FormEvent) => {
    event.preventDefault()
    setSaid(null)
    try {
      const { applied, balance } = await admin("topUp", { accountId, amount, reference, paymentId })
      client.setQueryData(adminQuery("showBalance", { accountId }).queryKey, balance)
      setSaid({
        text: applied
          ? `${moneyText(amount)} were paid in.`
          : "This payment was paid in before, and counts once: nothing has changed."
      })
      setAmount("")
      setReference("")
      setPaymentId(newId())
    } catch (error) {
      setSaid({ error })
    }
  }
  return (
    <form className={classes["filters"]} onSubmit={(event) => void pay(event)} aria-label="Top up">
      <TextField
        label="Amount in USD"
        value={amount}
        onChange={setAmount}
        inputMode="decimal"
        isDisabled={refusal !== null}
      />
      <TextField
        label="Reference"
        value={reference}
        onChange={setReference}
        isOptional
        isDisabled={refusal !== null}
      />
      <TextField
        label="Payment id"
        value={paymentId}
        onChange={setPaymentId}
        isMono
        isDisabled={refusal !== null}
      />
      <Button type="submit" refusal={refusal} isDisabled={amount === "" || paymentId === ""}>
        Top up
      </Button>
      {said !== null &&
        ("text" in said ? (
          <Notice kind="good">{said.text}</Notice>
        ) : (
          <Notice kind="alarm" error={said.error} />
        ))}
    </form>
  )
}
