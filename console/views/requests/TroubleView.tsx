/** Says why a request has no output, with what its provider said and what to do. Nothing if all is well. */
import { Notice } from "#console/design/feedback/Notice.tsx"
import * as Trouble from "./Trouble.ts"
import classes from "./Trouble.module.css"

export const TroubleView = ({ request }: { readonly request: Parameters<typeof Trouble.of>[0] }) => {
  const trouble = Trouble.of(request)
  if (trouble === null) return null
  const { advice, kind, message, provider, title } = trouble
  return (
    <Notice kind={kind} title={title}>
      {message !== null && <p className={classes["message"]}>{message}</p>}
      {provider !== null && <p>{provider}</p>}
      <p>{advice}</p>
    </Notice>
  )
}
