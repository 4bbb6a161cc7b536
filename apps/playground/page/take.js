// What one can take along: the link, the files of the model, the pictures.

/// The bytes of a tar archive (POSIX.1-1988) with files in one folder: [{name, bytes}].
function tar_of(folder, files) {
  const encoder = new TextEncoder(), blocks = [];
  for (const {name, bytes} of files) {
    const head = new Uint8Array(512);
    const put = (at, text) => head.set(encoder.encode(text), at), octal = (number, digits) => number.toString(8).padStart(digits, "0");
    put(0, `${folder}/${name}`);
    put(100, "0000644\0" + "0000000\0" + "0000000\0");                            // mode, user, group
    put(124, octal(bytes.length, 11) + "\0" + octal(Math.floor(Date.now() / 1000), 11) + "\0");
    put(148, "        0");                                                        // the sum counts itself as blanks
    put(257, "ustar\0" + "00");
    put(148, octal(head.reduce((sum, byte) => sum + byte, 0), 6) + "\0 ");
    blocks.push(head, bytes, new Uint8Array((512 - bytes.length % 512) % 512));
  }
  return new Blob([...blocks, new Uint8Array(1024)], {type: "application/x-tar"});
}

function save_file(name, blob) {
  const address = URL.createObjectURL(blob);
  element("a", {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/// Saves the model directory, for regard translate and regard explore.
async function save_model() {
  const {files} = await call("files");
  save_file("model.tar", tar_of("model", files));
  tell("Saved model.tar. Unpack it with “tar xf model.tar”; then “regard translate model” and “regard explore model” read it.");
}

/// Saves one picture of the moment that is shown: both curves, the test sentence and the large map.
function save_picture() {
  const parts = [by_id("loss"), by_id("exact"), ...watched.maps.values()].filter((canvas) => canvas !== null);
  const side = 96, gap = 12, columns = Math.max(6, state.model.attention[0]?.heads ?? 0), maps = parts.slice(2);
  const width = gap + columns * (side + gap), top = 220, canvas = element("canvas", {width,
    height: top + Math.ceil(maps.length / columns) * (side + gap)}), context = canvas.getContext("2d");
  context.fillStyle = `rgb(${colour("ground")})`;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingEnabled = false;
  const half = (width - 3 * gap) / 2;
  parts.slice(0, 2).forEach((part, i) => context.drawImage(part, gap + i * (half + gap), 40, half, 130));
  maps.forEach((part, i) => context.drawImage(part, gap + (i % columns) * (side + gap), top + Math.floor(i / columns) * (side + gap), side, side));
  context.fillStyle = `rgb(${colour("ink")})`;
  context.font = "14px system-ui, sans-serif";
  context.fillText(`step ${shown_moment().step}: loss and exact match`, gap, 26);
  context.fillText(`${play.made.test.source} → ${shown_moment().translation.hypotheses[0].text}`, gap, top - 20, width - 2 * gap);
  canvas.toBlob((blob) => save_file(`step-${shown_moment().step}.png`, blob));
}
