/** The navigation between the views of operators, above each of them. */
import { Link, Outlet } from "@tanstack/react-router"
import classes from "./Operate.module.css"

const views = [
  ["/operate/overview", "Overview"],
  ["/operate/models", "Models"],
  ["/operate/providers", "Providers"],
  ["/operate/workers", "Workers"],
  ["/operate/nodes", "Nodes"],
  ["/operate/projections", "Read models"],
  ["/operate/accounts", "Accounts"],
  ["/operate/requests", "Requests"],
  ["/operate/log", "Server log"]
] as const

export const OperateLayout = () => (
  <div className={classes["area"]}>
    <nav aria-label="Views of operators" className={classes["views"]}>
      <ul>
        {views.map(([to, label]) => (
          <li key={to}>
            <Link to={to}>{label}</Link>
          </li>
        ))}
      </ul>
    </nav>
    <Outlet />
  </div>
)
