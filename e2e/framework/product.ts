export async function bringUpProduct(): Promise<void> {}
export async function takeDownProduct(): Promise<void> {}
