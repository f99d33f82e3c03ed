/** What the role of the operator allows, so that other actions are shown disabled, with the reason. */
import { useRouteContext } from "@tanstack/react-router"
import { missingRole, type OperatorSession } from "#console/api/Session.ts"

/** Why the action is refused; `null` if it is allowed. The server decides in any case. */
export const useRefusal = (required: OperatorSession["role"]): string | null => {
  const { operator } = useRouteContext({ from: "/shell/operate" })
  return missingRole(operator, required)
}
