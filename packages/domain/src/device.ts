/** What many devices have in common. */
export type Alias = { $name: string }

export type Boot = { $order: string | number }

/** An element whose presence alone is the statement. */
export type Present = Record<string, never>

/** An address on the guest's bus; which attributes count depends on the type. */
export type Address = {
  $type?: string
  $domain?: string
  $bus?: string | number
  $slot?: string
  $function?: string
  $controller?: string | number
  $target?: string | number
  $unit?: string | number
  $device?: string | number
  $uuid?: string
}
