// A Matrix player on matrix-js-sdk, with the crypto that Element uses: it joins where it is invited, prints each message
// as a JSON line, and says what comes on its standard input. It neither reads nor writes to devices that their owner has
// not signed.
//
//   node player.mjs HOMESERVER USER PASSWORD
import { pathToFileURL } from "node:url";
import path from "node:path";
import readline from "node:readline";

const [, , baseUrl, user, password, modules] = process.argv;
const load = (name) => import(pathToFileURL(path.join(modules, "matrix-js-sdk", "lib", name)));
const sdk = await load("index.js");
const { logger } = await load("logger.js");
const { OnlySignedDevicesIsolationMode } = await load("crypto-api/index.js");
const tell = (thing) => process.stdout.write(JSON.stringify(thing) + "\n");
logger.setLevel("silent");
for (const level of ["log", "info", "debug", "warn"]) console[level] = () => {};

const identifier = { type: "m.id.user", user };
const proof = { type: "m.login.password", identifier, password };
const login = await sdk.createClient({ baseUrl }).loginRequest(proof);
const client = sdk.createClient({
  baseUrl, userId: login.user_id, deviceId: login.device_id, accessToken: login.access_token,
});
await client.initRustCrypto({ useIndexedDB: false });
await client.getCrypto().bootstrapCrossSigning({ authUploadDeviceSigningKeys: (request) => request(proof) });
client.getCrypto().setDeviceIsolationMode(new OnlySignedDevicesIsolationMode());

let room = null;
client.on(sdk.RoomMemberEvent.Membership, async (event, member) => {
  if (member.userId !== client.getUserId() || member.membership !== "invite") return;
  await client.joinRoom(member.roomId);
  room = member.roomId;
  tell({ joined: room });
});
const hear = (event) => {
  if (event.getSender() === client.getUserId()) return;
  if (event.isDecryptionFailure()) return tell({ failed: event.decryptionFailureReason });
  if (event.getType() === "m.room.message") tell({ heard: event.getContent().body, encrypted: event.isEncrypted() });
};
client.on(sdk.MatrixEventEvent.Decrypted, hear);
client.on(sdk.RoomEvent.Timeline, (event, where, old) => { if (!old && !event.isEncrypted()) hear(event); });
client.once(sdk.ClientEvent.Sync, () => tell({ ready: client.getUserId() }));
await client.startClient({ initialSyncLimit: 1 });
const lines = readline.createInterface({ input: process.stdin });
lines.on("line", (line) => client.sendTextMessage(room, line).catch((error) => tell({ failed: String(error) })));
lines.on("close", () => process.exit(0)); // it lives as long as its input
