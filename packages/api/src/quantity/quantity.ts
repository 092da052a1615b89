/** An amount as Kubernetes writes it: `"512Mi"`, `"100m"`, `"1e3"`, or a plain number. */
export type Quantity = string | number
